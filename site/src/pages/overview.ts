// Every variant as it stands: what is open first, then a matrix of all of them.

import { spark } from '../charts/spark.ts';
import { type Child, h, table } from '../dom.ts';
import { ago, change, commit, moment, value } from '../format.ts';
import type { Cell, Now, Standing, Told } from '../generated/published.ts';
import { go, link } from '../state.ts';
import type { Context, View } from './page.ts';

const LATE = 3 * 86_400; // seconds without a new point, after which a series is called late
const OPEN = new Set(['open', 'suspected']);

interface Line {
  standing: Standing;
  cell: Cell;
}

export async function overview({ store, state, now: today }: Context): Promise<View> {
  const [index, now] = await Promise.all([store.index(), store.now()]);
  const metrics = [...new Set(now.standing.map((s) => s.metric))].sort(byOrder(now));
  const metric = state.params.get('metric') ?? preferred(metrics);
  const bestFirst = state.params.get('sort') === 'value';
  const lines = linesOf(now, metric, bestFirst);
  const newest = Math.max(0, ...now.standing.map((s) => s.time));
  const element = h(
    'div',
    {},
    h('h1', {}, 'Where everything stands'),
    h(
      'p',
      { class: 'lead' },
      `${index.points.toLocaleString('en')} points of ${now.standing.length.toLocaleString('en')} series; `,
      `the newest is of ${moment(newest)}, ${ago(newest, today)}.`,
    ),
    openOnes(now),
    h(
      'p',
      { class: 'controls' },
      h(
        'label',
        {},
        'Metric ',
        h(
          'select',
          {
            change: (event) => {
              go({ metric: (event.target as HTMLSelectElement).value });
            },
          },
          ...metrics.map((m) =>
            h('option', { value: m, selected: m === metric }, now.metrics[m]?.title ?? m),
          ),
        ),
      ),
      h(
        'button',
        {
          type: 'button',
          'aria-pressed': bestFirst ? 'true' : 'false',
          click: () => {
            go({ sort: bestFirst ? undefined : 'value' });
          },
        },
        'Best first',
      ),
    ),
    lines.length ? matrix(now, metric, lines, today) : strangers(now, metric),
  );
  return { title: 'Overview', element };
}

export function byOrder(now: Now): (a: string, b: string) => number {
  const order = Object.keys(now.metrics);
  const place = (m: string) => (order.includes(m) ? order.indexOf(m) : order.length);
  return (a, b) => place(a) - place(b) || a.localeCompare(b);
}

export function preferred(metrics: readonly string[]): string {
  return metrics.find((m) => m === 'p99') ?? metrics[0] ?? '';
}

export function linesOf(now: Now, metric: string, bestFirst = false): Line[] {
  const found: Line[] = [];
  for (const standing of now.standing) {
    const cell = now.cells[standing.series];
    if (standing.metric === metric && cell) found.push({ standing, cell });
  }
  const key = ({ cell }: Line) => {
    const v = now.variants[cell.variant];
    return [v?.framework, v?.database, v?.model, v?.launch, cell.workload, cell.jdk].join(' ');
  };
  if (!bestFirst) return found.sort((a, b) => key(a).localeCompare(key(b)));
  const rank = ({ standing }: Line) => {
    if (standing.value === null) return Number.POSITIVE_INFINITY; // what has no valid value comes last
    return standing.better === 'smaller' ? standing.value : -standing.value;
  };
  return found.sort((a, b) => rank(a) - rank(b));
}

function openOnes(now: Now): HTMLElement {
  const found = now.standing.flatMap((standing) =>
    standing.findings
      .filter((f) => OPEN.has(f.state) && f.kind !== 'improvement')
      .map((finding) => ({ standing, finding })),
  );
  if (!found.length) {
    return h('p', { class: 'good' }, '✓ No regression is open.');
  }
  return table<{ standing: Standing; finding: Told }>(
    `${found.length} ${found.length === 1 ? 'regression is' : 'regressions are'} open`,
    [
      { title: 'State', cell: ({ finding }) => badge(finding) },
      {
        title: 'Series',
        long: true,
        cell: ({ standing }) => trendLink(standing, now.cells[standing.series]),
      },
      {
        title: 'Metric',
        cell: ({ standing }) => now.metrics[standing.metric]?.title ?? standing.metric,
      },
      {
        title: 'Level',
        number: true,
        cell: ({ standing, finding }) =>
          `${value(now.metrics[standing.metric], finding.reference)} → ${value(now.metrics[standing.metric], finding.level)}`,
      },
      {
        title: 'Change',
        number: true,
        cell: ({ finding }) => change(finding.reference, finding.level),
      },
      {
        title: 'Since',
        cell: ({ finding }) => `${moment(finding.since.time)}, ${commit(finding.since.commit)}`,
      },
    ],
    found.sort(
      (a, b) =>
        Math.abs(b.finding.level / b.finding.reference) -
        Math.abs(a.finding.level / a.finding.reference),
    ),
  );
}

function badge(finding: Told): HTMLElement {
  return h('span', { class: `badge ${finding.state}` }, `${finding.state} ${finding.kind}`);
}

function trendLink(standing: Standing, cell: Cell | undefined): HTMLElement {
  const href = link('trend', { metric: standing.metric, series: standing.series });
  return h('a', { href }, cell ? cellWords(cell) : standing.series);
}

export function cellWords(cell: Cell): string {
  const drivers = Object.entries(cell.drivers).map(([n, v]) => `${n} ${v}`);
  return [cell.variant, cell.workload, `JDK ${cell.jdk}`, ...drivers].join(' · ');
}

function matrix(now: Now, metric: string, lines: Line[], today: number): HTMLElement {
  const words = now.metrics[metric];
  const of = (line: Line) => now.variants[line.cell.variant];
  return table<Line>(
    `${words?.title ?? metric} of every variant`,
    [
      { title: 'Framework', cell: (l) => of(l)?.framework },
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
      {
        title: 'against the accepted level',
        number: true,
        cell: (l) => change(l.standing.reference, l.standing.level),
      },
      {
        title: 'the last points',
        cell: (l) =>
          spark(
            l.standing.values,
            `the last ${l.standing.values.length} values of ${l.standing.series}`,
          ),
      },
      { title: '', cell: (l) => verdict(l.standing, today) },
    ],
    lines,
  );
}

function verdict(standing: Standing, today: number): Child {
  const open = standing.findings.find((f) => OPEN.has(f.state) && f.kind !== 'improvement');
  if (open) return badge(open);
  if (standing.validity !== 'valid') {
    return h('span', { class: 'badge suspected' }, `the newest is ${standing.validity}`);
  }
  if (today - standing.time > LATE) {
    return h('span', { class: 'badge suspected' }, `late: ${ago(standing.time, today)}`);
  }
  const better = standing.findings.find((f) => f.kind === 'improvement');
  return better
    ? h('span', { class: 'badge seen' }, 'improved')
    : h('span', { class: 'quiet' }, 'same');
}

/** Series of other tools have no variant. */
function strangers(now: Now, metric: string): HTMLElement {
  const own = now.standing.filter((s) => s.metric === metric);
  return table<Standing>(
    now.metrics[metric]?.title ?? metric,
    [
      { title: 'Series', long: true, cell: (s) => trendLink(s, undefined) },
      { title: 'Newest', number: true, cell: (s) => value(now.metrics[metric], s.value) },
      {
        title: 'against the accepted level',
        number: true,
        cell: (s) => change(s.reference, s.level),
      },
      { title: 'the last points', cell: (s) => spark(s.values, `the last values of ${s.series}`) },
    ],
    own,
  );
}
