// A metric's history: several series in one chart, what changed in it, and the numbers behind.

import { imageButton } from '../charts/image.ts';
import { draw, type Picked, type Shown } from '../charts/line.ts';
import { ink, seriesColor } from '../charts/theme.ts';
import { join, type Series, within } from '../data/series.ts';
import { h, table } from '../dom.ts';
import { change, commit, moment, value } from '../format.ts';
import type { Now, Sessions, Standing, Told } from '../generated/published.ts';
import { go, link } from '../state.ts';
import { byOrder, cellWords, preferred } from './overview.ts';
import type { Context, View } from './page.ts';

const MOST = 8; // series in a chart: beyond, colours can't be told apart
const ROWS = 200;
const MONTHS = 12; // that are shown at first

export async function trend({ store, state }: Context): Promise<View> {
  const [now, months] = await Promise.all([store.now(), store.months()]);
  const metrics = [...new Set(now.standing.map((s) => s.metric))].sort(byOrder(now));
  const metric = state.params.get('metric') ?? preferred(metrics);
  const own = now.standing.filter((s) => s.metric === metric);
  const asked = state.params.getAll('series');
  const chosen = (asked.length ? own.filter((s) => asked.includes(s.series)) : own).slice(0, MOST);
  const all = state.params.get('range') === 'all';
  const range = all ? months : within(months, months.at(-MONTHS) ?? '', '');
  const [shards, rows] = await Promise.all([
    Promise.all(range.map((month) => store.shard(month, metric))),
    Promise.all(range.map((month) => store.sessions(month))).then((all) => all.flat()),
  ]);
  const shown = chosen.map((standing) => ({
    series: join(standing.series, shards),
    title: title(now, standing),
    findings: standing.findings,
    reference: standing.reference,
  }));
  const words = now.metrics[metric];
  const plot = h('div', {
    class: 'plot',
    role: 'img',
    'aria-label': described(now, metric, shown),
  });
  const hover = h(
    'p',
    { class: 'hover', 'aria-live': 'off' },
    'Point at the chart for values; click for the run.',
  );
  const log = state.params.get('scale') === 'log';
  const commits = state.params.get('axis') === 'commit';
  let chart: ReturnType<typeof draw> | undefined;
  const resize = () => chart?.setSize({ width: plot.clientWidth, height: height() });
  const element = h(
    'div',
    {},
    h('h1', {}, words?.title ?? metric),
    controls(now, metrics, metric, own, chosen, { all, log, commits }),
    plot,
    legend(shown),
    h(
      'div',
      { class: 'controls' },
      imageButton(
        metric,
        words?.title ?? metric,
        () => chart?.ctx.canvas,
        () => shown.map((s, n) => ({ title: s.title, color: seriesColor(n) })),
      ),
    ),
    hover,
    changes(now, metric, chosen),
    surroundings(shown, rows),
    points(now, metric, shown),
  );
  return {
    title: words?.title ?? metric,
    element,
    shown: () => {
      if (!shown.some((s) => s.series.time.length)) {
        plot.replaceChildren(h('p', {}, 'No point of these series is in this range.'));
        return;
      }
      chart = draw(plot, shown, {
        width: plot.clientWidth,
        height: height(),
        log,
        commits,
        unit: words?.unit ?? own[0]?.unit ?? '',
        sync: 'trend',
        color: seriesColor,
        ink: ink(),
        pick: (series, point) => {
          location.hash = link('run', {
            session: series.session[point] ?? '',
            series: series.name,
            month: new Date((series.time[point] ?? 0) * 1000).toISOString().slice(0, 7),
          });
        },
        hover: (picked) => hover.replaceChildren(...told(now, metric, shown, picked)),
      });
      addEventListener('resize', resize);
    },
    left: () => {
      removeEventListener('resize', resize);
      chart?.destroy();
    },
  };
}

const height = () => Math.max(260, Math.min(440, Math.round(innerHeight * 0.5)));

function title(now: Now, standing: Standing): string {
  const cell = now.cells[standing.series];
  return cell ? cellWords(cell) : standing.series;
}

function controls(
  now: Now,
  metrics: string[],
  metric: string,
  own: Standing[],
  chosen: Standing[],
  how: { all: boolean; log: boolean; commits: boolean },
): HTMLElement {
  const names = new Set(chosen.map((s) => s.series));
  const toggle = (words: string, on: boolean, params: Record<string, string | undefined>) =>
    h(
      'button',
      { type: 'button', 'aria-pressed': on ? 'true' : 'false', click: () => go(params) },
      words,
    );
  return h(
    'div',
    { class: 'controls' },
    h(
      'label',
      {},
      'Metric ',
      h(
        'select',
        { id: 'metric', change: (e) => go({ metric: (e.target as HTMLSelectElement).value }) },
        ...metrics.map((m) =>
          h('option', { value: m, selected: m === metric }, now.metrics[m]?.title ?? m),
        ),
      ),
    ),
    h(
      'details',
      {},
      h('summary', {}, `Series (${chosen.length} of ${own.length})`),
      ...own.map((s) =>
        h(
          'label',
          { class: 'line' },
          h('input', {
            type: 'checkbox',
            checked: names.has(s.series),
            change: () => {
              const next = new Set(names);
              if (!next.delete(s.series)) next.add(s.series);
              go({ series: [...next].slice(0, MOST) });
            },
          }),
          ` ${title(now, s)}`,
        ),
      ),
    ),
    toggle('All years', how.all, { range: how.all ? undefined : 'all' }),
    toggle('Commits on the axis', how.commits, { axis: how.commits ? undefined : 'commit' }),
    toggle('Logarithmic', how.log, { scale: how.log ? undefined : 'log' }),
  );
}

function legend(shown: readonly Shown[]): HTMLElement {
  return h(
    'ul',
    { class: 'legend' },
    ...shown.map((s, n) =>
      h(
        'li',
        {},
        h(
          'svg',
          { width: 12, height: 12, 'aria-hidden': 'true' },
          h('rect', { width: 12, height: 12, rx: 3, fill: seriesColor(n) }),
        ),
        ` ${s.title}`,
      ),
    ),
    h(
      'li',
      { class: 'quiet' },
      '┄ accepted level · ▼ change · ┊ another environment · ○ not valid',
    ),
  );
}

function told(
  now: Now,
  metric: string,
  shown: readonly Shown[],
  picked: readonly (Picked | null)[],
): string[] {
  const parts = picked.flatMap((each, s) => {
    if (!each) return [];
    const { series, point } = each;
    const words = now.metrics[metric];
    const valid = series.validity[point] === 'v' ? '' : ', not valid';
    return [
      `${shown[s]?.title}: ${value(words, series.value[point])} (${series.runs[point]} runs${valid}), ` +
        `${moment(series.time[point] ?? 0)}, ${commit(series.commit[point] ?? '')}`,
    ];
  });
  return parts.length ? [parts.join(' | ')] : ['Point at the chart for values; click for the run.'];
}

function changes(now: Now, metric: string, chosen: readonly Standing[]): HTMLElement | null {
  const found = chosen.flatMap((standing) =>
    standing.findings.map((finding) => ({ standing, finding })),
  );
  if (!found.length) return h('p', { class: 'quiet' }, 'No level of these series has shifted.');
  const words = now.metrics[metric];
  return table<{ standing: Standing; finding: Told }>(
    'What shifted',
    [
      {
        title: '',
        cell: ({ finding }) =>
          h('span', { class: `badge ${finding.state}` }, `${finding.state} ${finding.kind}`),
      },
      { title: 'Series', long: true, cell: ({ standing }) => title(now, standing) },
      {
        title: 'Level',
        number: true,
        cell: ({ finding: f }) => `${value(words, f.reference)} → ${value(words, f.level)}`,
      },
      { title: 'Change', number: true, cell: ({ finding: f }) => change(f.reference, f.level) },
      {
        title: 'Since',
        cell: ({ finding: f }) => `${moment(f.since.time)}, ${commit(f.since.commit)}`,
      },
      {
        title: 'After',
        cell: ({ finding: f }) => `${moment(f.before.time)}, ${commit(f.before.commit)}`,
      },
      { title: 'Sure with', cell: ({ finding: f }) => moment(f.decided.time) },
      { title: 'Reason', cell: ({ finding: f }) => f.reason },
    ],
    found.sort((a, b) => b.finding.since.time - a.finding.since.time),
  );
}

interface Move {
  time: number;
  series: string;
  what: string;
}

/** Where the surroundings of a series changed, and in what: other levels there are nobody's fault. */
export function moves(
  shown: readonly Shown[],
  rows: readonly Sessions['sessions'][number][],
): Move[] {
  const words = new Map(rows.flatMap((row) => Object.entries(row.environments)));
  const found: Move[] = [];
  for (const { title: name, series } of shown) {
    for (let n = 1; n < series.time.length; n++) {
      const [before, after] = [series.environment[n - 1] ?? '', series.environment[n] ?? ''];
      if (before === after) continue;
      const [from, to] = [words.get(before) ?? {}, words.get(after) ?? {}];
      const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
        (k) => from[k] !== to[k],
      );
      const what = keys
        .map((k) => `${k}: ${from[k] ?? 'unknown'} → ${to[k] ?? 'unknown'}`)
        .join('; ');
      found.push({ time: series.time[n] ?? 0, series: name, what: what || 'not known' });
    }
  }
  return found.sort((a, b) => b.time - a.time);
}

function surroundings(
  shown: readonly Shown[],
  rows: readonly Sessions['sessions'][number][],
): HTMLElement | null {
  const found = moves(shown, rows);
  if (!found.length) return null;
  return h(
    'details',
    {},
    h(
      'summary',
      {},
      `The surroundings changed ${found.length} times: no level is compared across that`,
    ),
    table<Move>(
      'Changes of the surroundings',
      [
        { title: 'Since', cell: (m) => moment(m.time) },
        { title: 'Series', long: true, cell: (m) => m.series },
        { title: 'What', long: true, cell: (m) => m.what },
      ],
      found,
    ),
  );
}

interface Row {
  title: string;
  series: Series;
  point: number;
}

function points(now: Now, metric: string, shown: readonly Shown[]): HTMLElement {
  const rows: Row[] = shown
    .flatMap(({ title: words, series }) =>
      series.time.map((_, point) => ({ title: words, series, point })),
    )
    .sort((a, b) => (b.series.time[b.point] ?? 0) - (a.series.time[a.point] ?? 0));
  const words = now.metrics[metric];
  const details = h(
    'details',
    {},
    h('summary', {}, `${rows.length.toLocaleString('en')} points as a table`),
  );
  details.addEventListener(
    'toggle',
    () => {
      const shownRows = rows.slice(0, ROWS);
      details.append(
        h(
          'p',
          {},
          h('a', { href: download('text/csv', csv(rows)), download: `${metric}.csv` }, 'CSV'),
          ' · ',
          h(
            'a',
            { href: download('application/json', json(rows)), download: `${metric}.json` },
            'JSON',
          ),
          rows.length > ROWS ? ` (all; the newest ${ROWS} are below)` : '',
        ),
        table<Row>(
          'Points, newest first',
          [
            { title: 'Time', cell: (r) => moment(r.series.time[r.point] ?? 0) },
            { title: 'Commit', cell: (r) => commit(r.series.commit[r.point] ?? '') },
            { title: 'Series', long: true, cell: (r) => r.title },
            { title: 'Value', number: true, cell: (r) => value(words, r.series.value[r.point]) },
            { title: 'Lowest run', number: true, cell: (r) => value(words, r.series.low[r.point]) },
            {
              title: 'Highest run',
              number: true,
              cell: (r) => value(words, r.series.high[r.point]),
            },
            { title: 'Runs', number: true, cell: (r) => r.series.runs[r.point] },
            { title: '', cell: (r) => (r.series.validity[r.point] === 'v' ? '' : 'not valid') },
          ],
          shownRows,
        ),
      );
    },
    { once: true },
  );
  return details;
}

function download(type: string, content: string): string {
  return URL.createObjectURL(new Blob([content], { type }));
}

const COLUMNS = [
  'series',
  'time',
  'commit',
  'session',
  'value',
  'low',
  'high',
  'runs',
  'validity',
] as const;

function fields({ series, point }: Row): (string | number | null | undefined)[] {
  const { name, time, commit: commits, session, value: values, low, high, runs, validity } = series;
  return [
    name, new Date((time[point] ?? 0) * 1000).toISOString(), commits[point], session[point],
    values[point], low[point], high[point], runs[point], validity[point],
  ]; // biome-ignore format: as COLUMNS
}

export function csv(rows: readonly Row[]): string {
  const cell = (v: string | number | null | undefined) => {
    // A text that begins like a formula is one to a spreadsheet.
    const text =
      v === null || v === undefined ? '' : String(v).replace(/^([=+@\t\r]|-(?!\d))/, "'$1");
    return /[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
  };
  return `${[COLUMNS.join(','), ...rows.map((r) => fields(r).map(cell).join(','))].join('\r\n')}\r\n`;
}

function json(rows: readonly Row[]): string {
  return JSON.stringify(
    rows.map((r) => Object.fromEntries(fields(r).map((v, n) => [COLUMNS[n], v]))),
  );
}

function described(now: Now, metric: string, shown: readonly Shown[]): string {
  const words = now.metrics[metric];
  const parts = shown.map(
    ({ title: name, series }) => `${name}: last ${value(words, series.value.at(-1))}`,
  );
  return `${words?.title ?? metric} over time. ${parts.join('; ')}. The points are in the table below.`;
}
