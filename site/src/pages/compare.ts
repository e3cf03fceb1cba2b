// Two selections side by side: their latency distributions, latency by offered rate, and every metric. What one session
// measured in the same surroundings is compared; anything else is shown, and said to be not comparable.

import { cellWords, metricsOf, wordsOf } from '../catalog.ts';
import { command, select } from '../controls.ts';
import { Histogram } from '../data/histogram.ts';
import { type Estimate, ratio } from '../data/interval.ts';
import { capacity, checked, latencies, loadCurve, type RecordOf } from '../data/record.ts';
import { join } from '../data/series.ts';
import { abCommand, type Difference, differences, type Measured } from '../data/session.ts';
import { DataError, type Store } from '../data/store.ts';
import { type Child, type Column, h, table } from '../dom.ts';
import { between, change, commit, many, moment, NONE, share, value } from '../format.ts';
import type { Cell, Kept, Now, Sessions } from '../generated/published.ts';
import { monthOf, runLink, runsOf } from '../links.ts';
import { go, link } from '../state.ts';
import { Charts, type Drawn, PERCENTS } from './compare-charts.ts';
import type { Context, View } from './page.ts';
import { says } from './question.ts';

type Row = Sessions['sessions'][number];

interface Side {
  series: string;
  cell: Cell;
  title: string;
  month: string;
  row: Row;
  records: RecordOf[];
}

interface Reading {
  metric: string;
  a: Measured | null;
  b: Measured | null;
}

export async function compare({ store, state }: Context): Promise<View> {
  const now = await store.now();
  const names = Object.keys(now.cells).sort();
  const [a, b] = pair(now, state.params, names);
  if (a === undefined || b === undefined) throw new DataError('there are no two series to compare');
  const places = await placesOf(store, now, a, b, state.params);
  const sides = await Promise.all([
    sideOf(store, now, a, places[0]),
    sideOf(store, now, b, places[1]),
  ]);
  const drawn = await Promise.all(sides.map(drawnOf));
  const readings = await readingsOf(store, now, sides);
  const differ = apart(now, sides, readings);
  const limit = limitOf(now, sides[0]);
  const charts = new Charts(drawn, limit);
  const element = h(
    'div',
    {},
    h('h1', {}, 'Compare'),
    pickers(now, names, a, b),
    verdict(sides, differ),
    legend(now, sides, drawn),
    ...sides.map((side, n) => unsound(side, n ? 'B' : 'A')),
    metricTable(now, readings, differ.length === 0),
    charts.element,
    percentileTable(drawn, differ.length === 0),
    loadTable(limit, drawn),
  );
  return { title: 'Compare', element, shown: () => charts.draw(), left: () => charts.destroy() };
}

/** What was asked for; else platform beside virtual threads of the first variant that has both. */
export function pair(now: Now, params: URLSearchParams, names: string[]): [string?, string?] {
  const a = params.get('a') ?? undefined;
  const b = params.get('b') ?? undefined;
  if (a !== undefined && b !== undefined) return [a, b];
  for (const name of names) {
    const other = sibling(now, name);
    if (other && now.cells[name]?.variant.endsWith('-platform')) return [a ?? name, b ?? other];
  }
  return [a ?? names[0], b ?? names[1] ?? names[0]];
}

/** The same cell on the other kind of threads. */
export function sibling(now: Now, series: string): string | undefined {
  const [from, to] = series.includes('-platform+')
    ? ['-platform+', '-virtual+']
    : ['-virtual+', '-platform+'];
  const other = series.replace(from as string, to as string);
  return other !== series && Object.hasOwn(now.cells, other) ? other : undefined;
}

interface Place {
  month: string;
  session: string;
}

/** The sessions that were asked for; else the newest that measured both, or each one's newest. */
async function placesOf(
  store: Store,
  now: Now,
  a: string,
  b: string,
  params: URLSearchParams,
): Promise<[Place, Place]> {
  const asked = (key: string): Place | null => {
    const [month, session] = params.get(key)?.split('/', 2) ?? [];
    return month && session ? { month, session } : null;
  };
  const newest = (series: string): Place => {
    const own = now.standing.filter((s) => s.series === series).sort((x, y) => y.time - x.time)[0];
    return { month: monthOf(own?.time ?? 0), session: own?.origin ?? '' };
  };
  const [sa, sb] = [asked('sa'), asked('sb')];
  if (sa || sb) return [sa ?? newest(a), sb ?? newest(b)];
  for (const month of (await store.months()).slice(-MONTHS).reverse()) {
    const rows = await store.sessions(month).catch(() => []);
    const both = rows.findLast((row) =>
      [a, b].every((series) => runsOf(now.cells[series], series, Object.keys(row.runs)).length),
    );
    if (both)
      return [
        { month, session: both.id },
        { month, session: both.id },
      ];
  }
  return [newest(a), newest(b)];
}

const MONTHS = 12; // that are looked through for a session with both

async function sideOf(store: Store, now: Now, series: string, place: Place): Promise<Side> {
  const cell = now.cells[series];
  if (!cell) throw new DataError(`there is no series ${series}`);
  const { month, session } = place;
  const row = (await store.sessions(month)).find((s) => s.id === session);
  if (!row) throw new DataError(`there is no session ${session} among those of ${month}`);
  const own = runsOf(cell, series, Object.keys(row.runs));
  const records = await Promise.all(
    own.map(async (name) =>
      checked(await store.record(month, session, name, row.runs[name] as Kept)),
    ),
  );
  return {
    series,
    cell,
    title: cellWords(cell),
    month,
    row,
    records: records.filter((r) => r.outcome === 'completed' && r.validity !== 'invalid'),
  };
}

async function drawnOf(side: Side): Promise<Drawn> {
  const found = (await Promise.all(side.records.map((r) => latencies(r)))).filter(
    (each) => each !== null,
  );
  return {
    title: side.title,
    histogram: found.length ? Histogram.merged(found) : null,
    load: side.records[0] ? await loadCurve(side.records[0]) : [],
  };
}

async function readingsOf(store: Store, now: Now, sides: readonly Side[]): Promise<Reading[]> {
  const one = async (metric: string, side: Side): Promise<Measured | null> => {
    const shard = await store.shard(side.month, metric);
    const own = join(side.series, [shard]);
    const at = own.session.lastIndexOf(side.row.id);
    const number = own.value[at];
    if (!shard || number === undefined) return null;
    return {
      series: side.series,
      cell: side.cell,
      better: shard.better,
      session: side.row.id,
      time: own.time[at] ?? 0,
      commit: own.commit[at] ?? '',
      environment: own.environment[at] ?? '',
      value: number,
      low: own.low[at] ?? null,
      high: own.high[at] ?? null,
      runs: own.runs[at] ?? 1,
      mean: own.mean[at] ?? null,
      spread: own.spread[at] ?? null,
      valid: own.validity[at] === 'v',
    };
  };
  const [first, second] = sides as [Side, Side];
  const found = await Promise.all(
    metricsOf(now).map(async (metric) => {
      const [a, b] = await Promise.all([one(metric, first), one(metric, second)]);
      return { metric, a, b };
    }),
  );
  return found.filter((r) => r.a || r.b);
}

/** Why the two sides aren't comparable; nothing when they are. */
function apart(now: Now, sides: readonly Side[], readings: readonly Reading[]): Difference[] {
  const [a, b] = sides as [Side, Side];
  const both = readings.find((r) => r.a && r.b);
  const words = (side: Side, own: Measured | null | undefined) =>
    side.row.environments[own?.environment ?? ''];
  const found =
    both?.a && both.b ? differences(now, both.a, both.b, words(a, both.a), words(b, both.b)) : [];
  if (a.cell.workload !== b.cell.workload && !found.some((d) => d.what === 'k6 script'))
    found.push({ what: 'workload', from: a.cell.workload, to: b.cell.workload });
  if (a.row.id !== b.row.id) found.push({ what: 'session', from: a.row.id, to: b.row.id });
  return found;
}

/** Differences that forbid a comparison come first, with the command that would answer. */
function verdict(sides: readonly Side[], differ: readonly Difference[]): HTMLElement {
  const [a, b] = sides as [Side, Side];
  const ab = abCommand(a.cell, b.cell);
  const answer = ab ? h('p', {}, 'A verdict measures both in turns: ', command(ab)) : null;
  if (!differ.length) {
    return h(
      'div',
      {},
      h(
        'p',
        { class: 'good' },
        `✓ Comparable: one session, ${moment(a.row.time)}, in the same surroundings.`,
      ),
      answer,
    );
  }
  return h(
    'div',
    { class: 'notice', role: 'note' },
    h('p', { class: 'bad' }, '✗ Not comparable: no change is shown, because these differ, too:'),
    table<Difference>(
      'What differs besides what is compared',
      [
        { title: 'What', cell: (d) => d.what },
        { title: 'A', long: true, cell: (d) => d.from },
        { title: 'B', long: true, cell: (d) => d.to },
      ],
      differ,
    ),
    answer,
  );
}

function pickers(now: Now, names: string[], a: string, b: string): HTMLElement {
  const choices = names.map((name) => {
    const cell = now.cells[name];
    return { value: name, words: cell ? cellWords(cell) : name };
  });
  const choose = (key: 'a' | 'b', chosen: string) =>
    select(key, key.toUpperCase(), choices, chosen, (picked) =>
      go({ a, b, [key]: picked, sa: undefined, sb: undefined }),
    );
  const other = sibling(now, a);
  return h(
    'div',
    { class: 'controls' },
    choose('a', a),
    choose('b', b),
    h('a', { href: link('compare', { a: b, b: a }) }, 'Swap'),
    other !== undefined && other !== b
      ? h('a', { href: link('compare', { a, b: other }) }, 'Platform against virtual threads')
      : null,
  );
}

function legend(now: Now, sides: readonly Side[], drawn: readonly Drawn[]): HTMLElement {
  return h(
    'ul',
    { class: 'legend' },
    ...sides.map((side, n) => {
      const href = runLink(now, new Map([[side.row.id, side.row]]), side.series, side.row.id);
      const words = `${n ? 'B' : 'A'}: ${drawn[n]?.title}`;
      return h(
        'li',
        {},
        h(
          'svg',
          { width: 22, height: 12, 'aria-hidden': 'true' },
          h('rect', { width: 22, height: 12, rx: 3, class: `series-${n}` }),
        ),
        ' ',
        href ? h('a', { href }, words) : words,
        ` – ${moment(side.row.time)}, ${commit(side.row.commit)}, ${many(side.records.length, 'run')}`,
      );
    }),
  );
}

/** Validity first: numbers that may not be compared are shown, but not without a word. */
function unsound(side: Side, letter: string): HTMLElement | null {
  return side.records.length
    ? null
    : h(
        'p',
        { class: 'bad' },
        `✗ No run of ${letter} in this session is valid: its numbers are shown for what they are, and say nothing of a difference.`,
      );
}

function percentileTable(drawn: readonly Drawn[], comparable: boolean): HTMLElement {
  const at = (n: number, percent: number) => {
    const own = drawn[n]?.histogram;
    return own && (1 - percent / 100) * own.total >= 1 ? own.percentile(percent) / 1000 : null;
  };
  const ms = (number: number | null) => (number === null ? NONE : `${number.toFixed(2)} ms`);
  const columns: Column<number>[] = [
    { title: 'Percentile', cell: (p) => `p${p}` },
    { title: 'A', number: true, cell: (p) => ms(at(0, p)) },
    { title: 'B', number: true, cell: (p) => ms(at(1, p)) },
  ];
  const against = {
    title: 'B against A',
    number: true,
    cell: (p: number) => change(at(0, p), at(1, p)),
  };
  return table<number>(
    'Latency by percentile, all runs of a side together',
    comparable ? [...columns, against] : columns,
    PERCENTS.slice(1),
  );
}

/** What p99 may be, in ms: of the system that is compared. */
const limitOf = (now: Now, side: Side | undefined): number =>
  (side && wordsOf(now, side.cell)?.p99_limit_ms) ?? now.slo_p99_ms;

function loadTable(limit: number, drawn: readonly Drawn[]): HTMLElement {
  const said = (n: number): Child => {
    const found = capacity(drawn[n]?.load ?? [], limit);
    return found === null ? NONE : `${found.toLocaleString('en')}/s`;
  };
  return table<number>(
    `The highest held rate at which p99 stayed within ${limit} ms`,
    [
      { title: '', cell: (n) => `${n ? 'B' : 'A'}: ${drawn[n]?.title}` },
      { title: 'Capacity', number: true, cell: said },
    ],
    [0, 1],
  );
}

function metricTable(now: Now, rows: readonly Reading[], comparable: boolean): HTMLElement {
  const number = (r: Reading, own: Measured | null): Child =>
    own === null
      ? NONE
      : value(now.metrics[r.metric], own.mean ?? own.value) +
        (own.runs > 1 ? ` (${own.runs} runs)` : '');
  const found = (r: Reading): Estimate | null => (r.a && r.b ? ratio(r.a, r.b) : null);
  const said = (r: Reading): Child => {
    if (!r.a || !r.b) return '';
    const { kind, words } = says(found(r), r.a, r.b);
    return h('span', { class: `word ${kind}` }, words);
  };
  const columns: Column<Reading>[] = [
    { title: 'Metric', cell: (r) => now.metrics[r.metric]?.title ?? r.metric },
    { title: 'A', number: true, cell: (r) => number(r, r.a) },
    { title: 'B', number: true, cell: (r) => number(r, r.b) },
  ];
  const against: Column<Reading>[] = [
    {
      title: 'B against A',
      number: true,
      cell: (r) => {
        const own = found(r);
        return own ? share(own.at) : NONE;
      },
    },
    { title: '95 % interval', number: true, cell: (r) => between(found(r)) },
    { title: 'Says', long: true, cell: said },
  ];
  return table<Reading>(
    'Every metric, means of the runs',
    comparable ? [...columns, ...against] : columns,
    rows,
  );
}
