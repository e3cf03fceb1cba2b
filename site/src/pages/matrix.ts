// Every series of a metric as it stands, beside its own past: nothing is compared with another here.

import { chosenMetric, metricsOf, title, variantOf, wordsOf } from '../catalog.ts';
import { spark } from '../charts/spark.ts';
import { facet, select } from '../controls.ts';
import { isOpen } from '../data/events.ts';
import { type Child, h, table } from '../dom.ts';
import { ago, change, value } from '../format.ts';
import type { Cell, Now, PublishedFinding, Standing } from '../generated/published.ts';
import { byId, monthOf, runLink } from '../links.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';

const LATE = 3 * 86_400; // seconds without a new point, after which a series is called late

interface Line {
  standing: Standing;
  cell: Cell;
}

export async function matrix({ store, state, now: today }: Context): Promise<View> {
  const now = await store.now();
  const metrics = metricsOf(now);
  const metric = chosenMetric(metrics, state.params.get('metric'));
  const all = linesOf(now, metric);
  const asked = (key: string) => state.params.get(key);
  const own = all.filter(
    ({ cell }) =>
      (!asked('variant') || variantOf(cell) === asked('variant')) &&
      (!asked('workload') || cell.workload === asked('workload')) &&
      (!asked('jdk') || cell.jdk === asked('jdk')),
  );
  const months = [
    ...new Set(now.standing.filter((s) => s.metric === metric).map((s) => monthOf(s.time))),
  ];
  const rows = byId(
    (
      await Promise.all(
        months
          .sort()
          .slice(-3)
          .map((m) => store.sessions(m)),
      )
    ).flat(),
  );
  const element = h(
    'div',
    {},
    h('h1', {}, 'Every series'),
    h(
      'p',
      { class: 'lead' },
      'Each beside its own past. Series aren’t ranked here: they may be of different sessions and machines.',
    ),
    h(
      'div',
      { class: 'controls' },
      select(
        'metric',
        'Metric',
        metrics.map((m) => ({ value: m, words: title(now, m) })),
        metric,
      ),
      facet(
        'variant',
        'Variant',
        all.map((l) => variantOf(l.cell)),
        asked('variant'),
      ),
      facet(
        'workload',
        'Workload',
        all.map((l) => l.cell.workload),
        asked('workload'),
      ),
      facet(
        'jdk',
        'JDK',
        all.map((l) => l.cell.jdk),
        asked('jdk'),
      ),
    ),
    all.length ? lines(now, metric, own, today, rows) : strangers(now, metric),
  );
  return { title: 'Every series', element };
}

export function linesOf(now: Now, metric: string): Line[] {
  const found: Line[] = [];
  for (const standing of now.standing) {
    const cell = now.cells[standing.series];
    if (standing.metric === metric && cell) found.push({ standing, cell });
  }
  const key = ({ cell }: Line) => {
    const v = wordsOf(now, cell);
    return [v?.framework, v?.database, v?.model, v?.launch, cell.workload, cell.jdk].join(' ');
  };
  return found.sort((a, b) => key(a).localeCompare(key(b)));
}

function lines(
  now: Now,
  metric: string,
  own: Line[],
  today: number,
  rows: ReturnType<typeof byId>,
): HTMLElement {
  const words = now.metrics[metric];
  const of = (line: Line) => wordsOf(now, line.cell);
  const run = ({ standing }: Line): Child => {
    const href = runLink(now, rows, standing.series, standing.origin);
    return href ? h('a', { href }, 'run') : '';
  };
  return table<Line>(
    `${words?.title ?? metric} of every series`,
    [
      { title: 'Framework', cell: (l) => of(l)?.framework ?? variantOf(l.cell) },
      { title: 'Database', cell: (l) => of(l)?.database },
      { title: 'Model', cell: (l) => of(l)?.model },
      { title: 'Threads', cell: (l) => of(l)?.launch },
      { title: 'Workload', cell: (l) => l.cell.workload },
      { title: 'JDK', cell: (l) => l.cell.jdk },
      {
        title: words?.title ?? metric,
        number: true,
        cell: (l) =>
          h(
            'a',
            { href: link('trend', { metric, series: l.standing.series }) },
            value(words, l.standing.value),
          ),
      },
      { title: 'Against the accepted level', number: true, cell: (l) => moved(l.standing) },
      {
        title: 'The last points',
        cell: (l) =>
          spark(
            l.standing.values,
            `the last ${l.standing.values.length} values of ${l.standing.series}`,
          ),
      },
      { title: 'State', cell: (l) => verdict(l.standing, today) },
      { title: 'Newest', cell: run },
    ],
    own,
  );
}

/** One point has nothing to be compared with. */
export function moved(standing: Standing): string {
  return standing.values.length < 2 ? '' : change(standing.reference, standing.level);
}

function badge(finding: PublishedFinding): HTMLElement {
  const grown = (finding.growth?.length ?? 0) > 0 ? ', grew' : '';
  return h(
    'span',
    { class: `badge ${finding.state}` },
    `▲ ${finding.state} ${finding.kind}${grown}`,
  );
}

export function verdict(standing: Standing, today: number): Child {
  const open = standing.findings.find(isOpen);
  if (open) return badge(open);
  if (standing.validity !== 'valid') {
    return h('span', { class: 'badge suspected' }, `the newest is ${standing.validity}`);
  }
  if (today - standing.time > LATE) {
    return h('span', { class: 'badge suspected' }, `late: ${ago(standing.time, today)}`);
  }
  if (standing.values.length < 2) return h('span', { class: 'badge' }, 'new');
  const better = standing.findings.find((f) => f.kind === 'improvement');
  return better
    ? h('span', { class: 'badge seen' }, '▼ improved')
    : h('span', { class: 'quiet' }, 'no change seen');
}

/** Series of other tools have no variant. */
function strangers(now: Now, metric: string): HTMLElement {
  const own = now.standing.filter((s) => s.metric === metric);
  return table<Standing>(
    title(now, metric),
    [
      {
        title: 'Series',
        long: true,
        cell: (s) => h('a', { href: link('trend', { metric, series: s.series }) }, s.series),
      },
      { title: 'Newest', number: true, cell: (s) => value(now.metrics[metric], s.value) },
      { title: 'Against the accepted level', number: true, cell: moved },
      { title: 'The last points', cell: (s) => spark(s.values, `the last values of ${s.series}`) },
    ],
    own,
  );
}
