// Two selections side by side: their latency distributions, latency by offered rate, and every metric.

import type uPlot from 'uplot';
import { type Curve, curves } from '../charts/curves.ts';
import { imageButton } from '../charts/image.ts';
import { ink, seriesColor } from '../charts/theme.ts';
import { Histogram } from '../data/histogram.ts';
import {
  capacity,
  checked,
  type LoadPoint,
  latencies,
  loadCurve,
  type RecordOf,
} from '../data/record.ts';
import { join } from '../data/series.ts';
import { DataError, type Store } from '../data/store.ts';
import { type Child, type Column, h, table } from '../dom.ts';
import { change, commit, moment, NONE, value } from '../format.ts';
import type { Now, Standing } from '../generated/published.ts';
import { go, link } from '../state.ts';
import { byOrder, cellWords } from './overview.ts';
import type { Context, View } from './page.ts';

const PERCENTS = [0, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99];
const TICKS = [0, 50, 90, 99, 99.9, 99.99];
const CHARTS = { width: 560, height: 300 };

interface Side {
  series: string;
  title: string;
  month: string;
  session: string;
  time: number;
  commit: string;
  records: RecordOf[];
}

export async function compare({ store, state }: Context): Promise<View> {
  const now = await store.now();
  const names = Object.keys(now.cells).sort();
  const [a, b] = pair(now, state.params, names);
  if (a === undefined || b === undefined) throw new DataError('there are no two series to compare');
  const sides = await Promise.all([
    sideOf(store, now, a, state.params.get('sa')),
    sideOf(store, now, b, state.params.get('sb')),
  ]);
  const [histograms, loads] = await Promise.all([
    Promise.all(sides.map(merged)),
    Promise.all(sides.map((side) => (side.records[0] ? loadCurve(side.records[0]) : []))),
  ]);
  let charts: (uPlot | undefined)[] = [];
  const entries = sides.map((side, n) => ({ title: side.title, color: seriesColor(n) }));
  const holders = ['Latency by percentile', 'Latency distribution', 'Latency by offered rate'].map(
    (title, n) =>
      h(
        'figure',
        {},
        h('figcaption', {}, title),
        h('div', { class: 'plot small', role: 'img', 'aria-label': title }),
        imageButton(
          title.toLowerCase().replaceAll(' ', '-'),
          title,
          () => charts[n]?.ctx.canvas,
          () => entries,
        ),
      ),
  );
  const element = h(
    'div',
    {},
    h('h1', {}, 'Compare'),
    pickers(now, names, a, b),
    legend(sides),
    ...sides.map((side, n) => unsound(side, n ? 'B' : 'A')),
    h('div', { class: 'charts' }, ...holders),
    percentileTable(sides, histograms),
    loadTable(now, sides, loads),
    await metricTable(store, now, sides),
    h(
      'p',
      { class: 'quiet' },
      'These are runs of different moments. A verdict needs both sides measured in turns: ',
      h('code', {}, abCommand(now, a, b)),
    ),
  );
  return {
    title: 'Compare',
    element,
    shown: () => {
      charts = drawn(now, holders, sides, histograms, loads);
    },
    left: () => {
      for (const chart of charts) chart?.destroy();
    },
  };
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

async function sideOf(store: Store, now: Now, series: string, asked: string | null): Promise<Side> {
  const cell = now.cells[series];
  if (!cell) throw new DataError(`there is no series ${series}`);
  const newest = now.standing.filter((s) => s.series === series).sort((x, y) => y.time - x.time)[0];
  const month = asked?.split('/')[0] ?? monthOf(newest);
  const id = asked?.split('/')[1] ?? newest?.origin ?? '';
  const row = (await store.sessions(month)).find((s) => s.id === id);
  if (!row) throw new DataError(`there is no session ${id} among those of ${month}`);
  const own = Object.keys(row.runs).filter((name) => series.startsWith(`${cellName(name)}+`));
  const records = await Promise.all(
    own.map(async (name) => checked(await store.record(month, id, name))),
  );
  return {
    series,
    title: cellWords(cell),
    month,
    session: id,
    time: row.time,
    commit: row.commit,
    records: records.filter((r) => r.outcome === 'completed' && r.validity !== 'invalid'),
  };
}

const monthOf = (standing: Standing | undefined) =>
  new Date((standing?.time ?? 0) * 1000).toISOString().slice(0, 7);

/** `003+variant+workload+…+r1.json` → `variant+workload+…`. */
export function cellName(file: string): string {
  return file.replace(/^\d+\+/, '').replace(/\+r\d+\.json$/, '');
}

async function merged(side: Side): Promise<Histogram | null> {
  const all = await Promise.all(side.records.map((record) => latencies(record)));
  const found = all.filter((each) => each !== null);
  return found.length ? Histogram.merged(found) : null;
}

function pickers(now: Now, names: string[], a: string, b: string): HTMLElement {
  const choose = (key: 'a' | 'b', chosen: string) =>
    h(
      'label',
      {},
      `${key.toUpperCase()} `,
      h(
        'select',
        {
          change: (e) => {
            const own = {
              a,
              b,
              [key]: (e.target as HTMLSelectElement).value,
              [`s${key}`]: undefined,
            };
            go(own);
          },
        },
        ...names.map((name) => {
          const cell = now.cells[name];
          return h(
            'option',
            { value: name, selected: name === chosen },
            cell ? cellWords(cell) : name,
          );
        }),
      ),
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

function legend(sides: readonly Side[]): HTMLElement {
  return h(
    'ul',
    { class: 'legend' },
    ...sides.map((side, n) =>
      h(
        'li',
        {},
        h(
          'svg',
          { width: 12, height: 12, 'aria-hidden': 'true' },
          h('rect', { width: 12, height: 12, rx: 3, fill: seriesColor(n) }),
        ),
        ` ${n ? 'B' : 'A'}: ${side.title} – ${moment(side.time)}, ${commit(side.commit)}, ${side.records.length} ${side.records.length === 1 ? 'run' : 'runs'}`,
      ),
    ),
  );
}

/** Validity first: numbers that nobody may compare are shown, but not without a word. */
function unsound(side: Side, letter: string): HTMLElement | null {
  return side.records.length
    ? null
    : h(
        'p',
        { class: 'bad' },
        `✗ No run of ${letter} in this session is valid: its numbers are shown for what they are, and say nothing of a difference.`,
      );
}

/** 0 → 0, 90 → 1, 99 → 2: the nines are as far from each other. */
export const nines = (percent: number) => Math.log10(1 / (1 - percent / 100));

function drawn(
  now: Now,
  holders: HTMLElement[],
  sides: readonly Side[],
  histograms: readonly (Histogram | null)[],
  loads: readonly LoadPoint[][],
): (uPlot | undefined)[] {
  const made: (uPlot | undefined)[] = []; // by holder: one that has nothing to show has no chart
  const draw = (
    n: number,
    shown: Curve[],
    options: Omit<Parameters<typeof curves>[2], 'width' | 'height' | 'ink'>,
  ) => {
    const holder = holders[n]?.querySelector('.plot') as HTMLElement;
    if (!shown.some((c) => c.points.length)) {
      holder.replaceChildren(h('p', {}, 'Neither side has such numbers.'));
      return;
    }
    made[n] = curves(holder, shown, {
      ...CHARTS,
      width: holder.clientWidth,
      ink: ink(),
      ...options,
    });
  };
  const of = (points: (h: Histogram) => [number, number][], steps = false): Curve[] =>
    histograms.map((histogram, n) => ({
      title: sides[n]?.title ?? '',
      color: seriesColor(n),
      steps,
      points: histogram ? points(histogram) : [],
    }));
  const told = (histogram: Histogram) =>
    PERCENTS.filter((p) => (1 - p / 100) * histogram.total >= 1);
  draw(
    0,
    of((own) => told(own).map((p) => [nines(p), own.percentile(p) / 1000])),
    {
      x: 'percentile',
      y: 'ms',
      logY: true,
      splits: TICKS.map(nines),
      ticks: (at) => at.map((x) => `${Math.round((1 - 10 ** -x) * 1e4) / 100}`),
    },
  );
  draw(
    1,
    of((own) => own.steps().map(([v, share]) => [v / 1000, share]), true),
    {
      x: 'ms',
      y: 'share of requests at or below',
      logX: true,
    },
  );
  const limit = now.slo_p99_ms;
  draw(
    2,
    loads.flatMap((points, n): Curve[] => [
      {
        title: `${sides[n]?.title} p99`,
        color: seriesColor(n),
        points: points.map((p) => [p.rate, p.p99]),
      },
      {
        title: `${sides[n]?.title} p50`,
        color: seriesColor(n),
        dashed: true,
        points: points.map((p) => [p.rate, p.p50]),
      },
    ]),
    { x: 'offered rate, requests/s (solid p99, dashed p50)', y: 'ms', logY: true, limit },
  );
  return made;
}

function percentileTable(
  sides: readonly Side[],
  histograms: readonly (Histogram | null)[],
): HTMLElement {
  const at = (n: number, percent: number) => {
    const own = histograms[n];
    return own && (1 - percent / 100) * own.total >= 1 ? own.percentile(percent) / 1000 : null;
  };
  const ms = (number: number | null) => (number === null ? NONE : `${number.toFixed(2)} ms`);
  return table<number>(
    'Latency by percentile',
    [
      { title: 'Percentile', cell: (p) => `p${p}` },
      { title: `A`, number: true, cell: (p) => ms(at(0, p)) },
      { title: `B`, number: true, cell: (p) => ms(at(1, p)) },
      { title: 'B against A', number: true, cell: (p) => change(at(0, p), at(1, p)) },
    ],
    sides.length ? PERCENTS.slice(1) : [],
  );
}

function loadTable(now: Now, sides: readonly Side[], loads: readonly LoadPoint[][]): HTMLElement {
  const limit = now.slo_p99_ms;
  const said = (n: number): Child => {
    const found = capacity(loads[n] ?? [], limit);
    return found === null ? NONE : `${found.toLocaleString('en')}/s`;
  };
  return table<number>(
    `The highest held rate at which p99 stayed within ${limit} ms`,
    [
      { title: '', cell: (n) => `${n ? 'B' : 'A'}: ${sides[n]?.title}` },
      { title: 'Capacity', number: true, cell: said },
    ],
    [0, 1],
  );
}

interface Row {
  metric: string;
  a: Reading | null;
  b: Reading | null;
}

interface Reading {
  value: number;
  low: number;
  high: number;
  runs: number;
}

async function metricTable(store: Store, now: Now, sides: readonly Side[]): Promise<HTMLElement> {
  const metrics = [...new Set(now.standing.map((s) => s.metric))].sort(byOrder(now));
  const rows = await Promise.all(
    metrics.map(async (metric): Promise<Row> => {
      const [a, b] = await Promise.all(
        sides.map(async (side): Promise<Reading | null> => {
          const own = join(side.series, [await store.shard(side.month, metric)]);
          const at = own.session.lastIndexOf(side.session);
          const number = own.value[at];
          if (number === undefined) return null;
          return {
            value: number,
            low: own.low[at] ?? number,
            high: own.high[at] ?? number,
            runs: own.runs[at] ?? 1,
          };
        }),
      );
      return { metric, a: a ?? null, b: b ?? null };
    }),
  );
  const range = (row: Row, own: Reading | null): Child =>
    own === null
      ? NONE
      : value(now.metrics[row.metric], own.value) + (own.runs > 1 ? ` (${own.runs} runs)` : '');
  const shown = rows.filter((r) => r.a || r.b);
  const ranges = shown.some(({ a, b }) => a && b && a.runs > 1 && b.runs > 1);
  const columns: Column<Row>[] = [
    { title: 'Metric', cell: (r) => now.metrics[r.metric]?.title ?? r.metric },
    { title: 'A', number: true, cell: (r) => range(r, r.a) },
    { title: 'B', number: true, cell: (r) => range(r, r.b) },
    { title: 'B against A', number: true, cell: (r) => change(r.a?.value, r.b?.value) },
  ];
  return h(
    'div',
    {},
    ranges
      ? null
      : h('p', { class: 'quiet' }, 'One run says nothing of its range: these are single numbers.'),
    table<Row>(
      'Every metric',
      ranges ? [...columns, { title: 'The ranges of their runs', cell: apart }] : columns,
      shown,
    ),
  );
}

function apart({ a, b }: Row): Child {
  if (!a || !b) return '';
  if (a.runs < 2 || b.runs < 2) return h('span', { class: 'quiet' }, 'one run');
  return a.high < b.low || b.high < a.low ? 'apart' : h('span', { class: 'quiet' }, 'overlap');
}

function abCommand(now: Now, a: string, b: string): string {
  const [base, head] = [now.cells[a], now.cells[b]];
  if (!base || !head) return './telar ab --help';
  const sides: string[] = [];
  const say = (key: string, x: string, y: string) => {
    if (x !== y) sides.push(`--base ${key}=${x} --head ${key}=${y}`);
  };
  say('variant', base.variant, head.variant);
  say('jdk', base.jdk, head.jdk);
  for (const [name, version] of Object.entries(base.drivers)) {
    const other = head.drivers[name];
    if (other !== undefined) say('driver', `${name}=${version}`, `${name}=${other}`);
  }
  const only = base.variant === head.variant ? ` --only ${base.variant}` : '';
  return `./telar ab ${sides.join(' ')}${only}`.replace(/ +/g, ' ').trim();
}
