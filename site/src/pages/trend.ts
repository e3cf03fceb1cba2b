// A metric's history: several series, what changed in them, and the numbers behind.

import { cellWords, chosenMetric, metricsOf, title as titleOf, wordsOf } from '../catalog.ts';
import type { Picked } from '../charts/line.ts';
import { facet, select } from '../controls.ts';
import { middle } from '../data/interval.ts';
import { filtered, join, within } from '../data/series.ts';
import { DataError, type Store } from '../data/store.ts';
import { type Child, h } from '../dom.ts';
import { moment, value } from '../format.ts';
import type { CommitWords, Now, Sessions, Shard, Standing } from '../generated/published.ts';
import { byId, commitWords, runLink } from '../links.ts';
import { go, type State } from '../state.ts';
import type { Context, View } from './page.ts';
import { TrendCharts } from './trend-chart.ts';
import { changes, surroundings } from './trend-events.ts';
import { pointTable, VALIDITY } from './trend-table.ts';

const MOST = 12; // series at once
const FIRST = 8; // when none was asked for
const MONTHS = 12; // that are shown at first
const FACETS = ['framework', 'database', 'model', 'launch', 'workload', 'jdk'] as const;

type Facet = (typeof FACETS)[number];
const FACET_WORDS: Record<Facet, string> = {
  framework: 'Framework',
  database: 'Database',
  model: 'Model',
  launch: 'Threads',
  workload: 'Workload',
  jdk: 'JDK',
};

interface Loaded {
  shards: Shard[];
  rows: Sessions['sessions'];
  commits: Map<string, CommitWords>;
  missing: string[];
}

export async function trend({ store, state }: Context): Promise<View> {
  const { params } = state;
  const [now, months] = await Promise.all([store.now(), store.months()]);
  const metrics = metricsOf(now);
  const metric = chosenMetric(metrics, params.get('metric'));
  const own = now.standing.filter((s) => s.metric === metric);
  const fitting = own.filter((s) =>
    FACETS.every((f) => !params.get(f) || facetOf(now, s, f) === params.get(f)),
  );
  const asked = params.getAll('series');
  const chosen = asked.length
    ? own.filter((s) => asked.includes(s.series)).slice(0, MOST)
    : fitting.slice(0, FIRST);
  const all = params.get('range') === 'all';
  const loaded = await load(
    store,
    metric,
    all ? months : within(months, months.at(-MONTHS) ?? '', ''),
  );
  const branch = params.get('branch');
  const branchOf = (hash: string | undefined) => loaded.commits.get(hash ?? '')?.branch ?? '';
  const shown = chosen.map((standing) => {
    const series = join(standing.series, loaded.shards);
    return {
      series: branch ? filtered(series, (n) => branchOf(series.commit[n]) === branch) : series,
      title: titleIn(now, standing),
      findings: standing.findings,
      reference: standing.reference,
    };
  });
  const words = now.metrics[metric];
  const rows = byId(loaded.rows);
  const run = ({ series, point }: Picked) =>
    runLink(now, rows, series.name, series.session[point] ?? '');
  const charts = new TrendCharts(shown, {
    name: metric,
    title: titleOf(now, metric),
    unit: words?.unit ?? own[0]?.unit ?? '',
    described: described(now, metric, shown),
    log: params.get('scale') === 'log',
    commits: params.get('axis') === 'commit',
    range: rangeOf(params),
    only: params.get('only'),
    tip: (picked) =>
      tipOf(
        now,
        metric,
        shown.find((s) => s.series === picked.series)?.title ?? '',
        picked,
        loaded.commits,
        run(picked),
      ),
    open: (picked) => {
      const href = run(picked);
      if (href) location.hash = href;
    },
  });
  const element = h(
    'div',
    {},
    h('h1', {}, titleOf(now, metric)),
    controls(now, state, metrics, metric, own, chosen, [
      ...new Set([...loaded.commits.values()].map((c) => c.branch)),
    ]),
    loaded.missing.length
      ? h(
          'p',
          { class: 'bad', role: 'alert' },
          `Some months aren’t shown. ${loaded.missing.join('; ')}`,
        )
      : null,
    !asked.length && fitting.length > FIRST
      ? h(
          'p',
          { class: 'quiet' },
          `The first ${FIRST} of ${fitting.length} series: choose among them above.`,
        )
      : null,
    charts.element,
    changes(
      now,
      metric,
      chosen,
      (s) => titleIn(now, s),
      new Map([...Object.entries(now.commits ?? {}), ...loaded.commits]),
    ),
    surroundings(shown, loaded.rows),
    pointTable(metric, words, shown, run),
  );
  return {
    title: titleOf(now, metric),
    element,
    shown: () => charts.draw(),
    left: () => charts.destroy(),
  };
}

/**
 * A month that can't be loaded costs that month only, and is named; months of an old year share a file, and are
 * shown or missing together.
 */
async function load(store: Store, metric: string, months: readonly string[]): Promise<Loaded> {
  const found: Loaded = { shards: [], rows: [], commits: new Map(), missing: [] };
  const parts = await Promise.all(
    months.map(async (month) => {
      const [shard, sessions] = await Promise.allSettled([
        store.shard(month, metric),
        store.month(month),
      ]);
      return { month, shard, sessions };
    }),
  );
  const shards = new Set<Shard>();
  const failed = new Map<string, string[]>(); // why -> months
  for (const { month, shard, sessions } of parts) {
    for (const part of [shard, sessions]) {
      if (part.status === 'fulfilled') continue;
      if (!(part.reason instanceof DataError)) throw part.reason;
      failed.set(part.reason.message, [...(failed.get(part.reason.message) ?? []), month]);
    }
    if (shard.status === 'fulfilled' && shard.value) shards.add(shard.value);
    if (sessions.status !== 'fulfilled' || !sessions.value) continue;
    found.rows.push(...sessions.value.sessions);
    for (const [hash, words] of Object.entries(sessions.value.commits ?? {}))
      found.commits.set(hash, words);
  }
  found.shards = [...shards];
  found.missing = [...failed].map(
    ([why, of]) => `${of.length > 1 ? `${of[0]} to ${of.at(-1)}` : of[0]}: ${why}`,
  );
  return found;
}

function rangeOf(params: URLSearchParams): { from: number; to: number } | null {
  const [from, to] = [Number(params.get('from')), Number(params.get('to'))];
  return params.has('from') && from < to ? { from, to } : null;
}

function facetOf(now: Now, standing: Standing, name: Facet): string {
  const cell = now.cells[standing.series];
  if (!cell) return '';
  return name === 'workload' || name === 'jdk' ? cell[name] : (wordsOf(now, cell)?.[name] ?? '');
}

function titleIn(now: Now, standing: Standing): string {
  const cell = now.cells[standing.series];
  return cell ? cellWords(cell) : standing.series;
}

function controls(
  now: Now,
  { params }: State,
  metrics: string[],
  metric: string,
  own: Standing[],
  chosen: Standing[],
  branches: string[],
): HTMLElement {
  const names = new Set(chosen.map((s) => s.series));
  const toggle = (id: string, words: string, key: string, on: string) => {
    const is = params.get(key) === on;
    return h(
      'button',
      {
        type: 'button',
        id,
        'aria-pressed': is ? 'true' : 'false',
        click: () => go({ [key]: is ? undefined : on, from: undefined, to: undefined }),
      },
      words,
    );
  };
  return h(
    'div',
    { class: 'controls' },
    select(
      'metric',
      'Metric',
      metrics.map((m) => ({ value: m, words: titleOf(now, m) })),
      metric,
    ),
    ...FACETS.map((f) =>
      facet(
        f,
        FACET_WORDS[f],
        own.map((s) => facetOf(now, s, f)),
        params.get(f),
      ),
    ),
    facet('branch', 'Branch', branches, params.get('branch')),
    h(
      'details',
      {},
      h('summary', { id: 'series' }, `Series (${chosen.length} of ${own.length})`),
      ...own.map((s, n) =>
        h(
          'label',
          { class: 'line' },
          h('input', {
            type: 'checkbox',
            id: `series-${n}`,
            checked: names.has(s.series),
            change: () => {
              const next = new Set(names);
              if (!next.delete(s.series)) next.add(s.series);
              go({ series: [...next].slice(0, MOST) });
            },
          }),
          ` ${titleIn(now, s)}`,
        ),
      ),
    ),
    toggle('all-years', 'All years', 'range', 'all'),
    toggle('by-commit', 'Commits on the axis', 'axis', 'commit'),
    toggle('log', 'Logarithmic', 'scale', 'log'),
  );
}

/** Value, interval, commit, validity, and the run. */
function tipOf(
  now: Now,
  metric: string,
  title: string,
  { series, point }: Picked,
  commits: ReadonlyMap<string, CommitWords>,
  href: string | undefined,
): Child[] {
  const words = now.metrics[metric];
  const number = series.value[point];
  const runs = series.runs[point] ?? 1;
  const own = middle({
    value: number ?? 0,
    mean: series.mean[point] ?? null,
    spread: series.spread[point] ?? null,
    runs,
  });
  const interval =
    own.low !== null && own.high !== null
      ? `mean ${value(words, own.at)}, 95 % interval ${value(words, own.low)} to ${value(words, own.high)}, ${runs} runs`
      : runs > 1
        ? `${runs} runs, ${value(words, series.low[point])} to ${value(words, series.high[point])}`
        : 'one run: no interval';
  const hash = series.commit[point] ?? '';
  return [
    h('strong', {}, value(words, number)),
    h('span', { class: 'line' }, title),
    h('span', { class: 'line' }, interval),
    h(
      'span',
      { class: 'line' },
      `${moment(series.time[point] ?? 0)}, ${VALIDITY[series.validity[point] ?? 'i']}`,
    ),
    hash ? h('span', { class: 'line' }, ...commitWords(now, hash, commits.get(hash))) : null,
    href
      ? h('a', { href }, 'Open the run')
      : h('span', { class: 'quiet' }, 'Its run isn’t kept here'),
  ];
}

function described(
  now: Now,
  metric: string,
  shown: readonly { title: string; series: { value: number[] } }[],
): string {
  const words = now.metrics[metric];
  const parts = shown.map(
    ({ title: name, series }) => `${name}: last ${value(words, series.value.at(-1))}`,
  );
  return `${titleOf(now, metric)} over time. ${parts.join('; ')}. The points are in the table below.`;
}
