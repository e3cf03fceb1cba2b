// The points of a trend as a table and as files, each with a link to its run.

import type { Series } from '../data/series.ts';
import { type Child, h, table } from '../dom.ts';
import { commit, moment, value } from '../format.ts';
import type { MetricWords } from '../generated/published.ts';

const ROWS = 200;

export interface Row {
  title: string;
  series: Series;
  point: number;
}

export const VALIDITY: Record<string, string> = { v: 'valid', l: 'limited', i: 'invalid' };

export function pointTable(
  metric: string,
  words: MetricWords | undefined,
  shown: readonly { title: string; series: Series }[],
  run: (row: Row) => string | undefined,
): HTMLElement {
  const count = shown.reduce((sum, { series }) => sum + series.time.length, 0);
  const details = h(
    'details',
    {},
    h(
      'summary',
      { id: 'points' },
      `${count.toLocaleString('en')} points as a table, with links to their runs`,
    ),
  );
  details.addEventListener(
    'toggle',
    () => {
      const rows: Row[] = shown
        .flatMap(({ title, series }) => series.time.map((_, point) => ({ title, series, point })))
        .sort((a, b) => (b.series.time[b.point] ?? 0) - (a.series.time[a.point] ?? 0));
      details.append(files(metric, rows), newest(words, rows, run));
    },
    { once: true },
  );
  return details;
}

function files(metric: string, rows: readonly Row[]): HTMLElement {
  const link = (type: string, content: string, name: string, words: string) =>
    h('a', { href: URL.createObjectURL(new Blob([content], { type })), download: name }, words);
  return h(
    'p',
    {},
    link('text/csv', csv(rows), `${metric}.csv`, 'CSV'),
    ' · ',
    link('application/json', json(rows), `${metric}.json`, 'JSON'),
    rows.length > ROWS ? ` (all; the newest ${ROWS} are below)` : '',
  );
}

function newest(
  words: MetricWords | undefined,
  rows: readonly Row[],
  run: (row: Row) => string | undefined,
): HTMLElement {
  const when = (r: Row): Child => {
    const href = run(r);
    const said = moment(r.series.time[r.point] ?? 0);
    return href ? h('a', { href }, said) : said;
  };
  return table<Row>(
    'Points, newest first',
    [
      { title: 'Time, and its run', short: true, cell: when },
      { title: 'Commit', cell: (r) => commit(r.series.commit[r.point] ?? '') },
      { title: 'Series', long: true, cell: (r) => r.title },
      { title: 'Value', number: true, cell: (r) => value(words, r.series.value[r.point]) },
      { title: 'Lowest run', number: true, cell: (r) => value(words, r.series.low[r.point]) },
      { title: 'Highest run', number: true, cell: (r) => value(words, r.series.high[r.point]) },
      { title: 'Runs', number: true, cell: (r) => r.series.runs[r.point] },
      { title: 'Validity', cell: (r) => VALIDITY[r.series.validity[r.point] ?? 'i'] },
    ],
    rows.slice(0, ROWS),
  );
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
