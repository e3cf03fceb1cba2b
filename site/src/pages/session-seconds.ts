// Every second of every run of a session, small and on shared scales: what differs is seen.

import { type Bounds, boundsOf, mini } from '../charts/mini.ts';
import { phases, secondsOf, shown, three, unitOf } from '../data/timeline.ts';
import { type Child, h } from '../dom.ts';
import type { Report, ReportGroup } from '../generated/published.ts';
import { groupHead, key, type Run, scroll } from './session-parts.ts';

type Style = 'main' | 'thin' | 'bad';

interface Quantity {
  title: string;
  log?: boolean;
  series: readonly (readonly [string, Style])[]; // the strong line first
}

const OVERVIEW: readonly Quantity[] = [
  {
    title: 'requests',
    series: [
      ['load.answered', 'main'],
      ['load.offered', 'thin'],
      ['load.failed', 'bad'],
    ],
  },
  {
    title: 'p99',
    log: true,
    series: [
      ['load.p99_ms', 'main'],
      ['load.p50_ms', 'thin'],
    ],
  },
  { title: 'app CPU', series: [['app.cpu_seconds', 'main']] },
  { title: 'heap used', series: [['app.heap_used', 'main']] },
  { title: 'app RSS', series: [['app.rss', 'main']] },
  { title: 'OS threads', series: [['app.os_threads', 'main']] },
  { title: 'pool in use', series: [['app.pool_active', 'main']] },
  { title: 'pool waiting', series: [['app.pool_waiting', 'main']] },
  { title: 'database CPU', series: [['database.cpu_seconds', 'main']] },
  { title: 'generator CPU', series: [['generator.cpu_seconds', 'main']] },
];

const MARKED = new Set(['warm-up', 'window']); // phases that a chart shows behind its lines

interface Column extends Quantity {
  bounds: Bounds;
}

export function seconds(report: Report, runs: readonly Run[]): HTMLElement {
  const columns = OVERVIEW.flatMap((quantity): Column[] => {
    const all = runs.flatMap(({ record }) => quantity.series.map(([name]) => shown(record, name)));
    const bounds = boundsOf(all, quantity.log);
    return bounds ? [{ ...quantity, bounds }] : [];
  });
  if (!columns.length) return h('p', {}, 'No run has readings.');
  const length = Math.max(...runs.map(({ record }) => secondsOf(record).at(-1) ?? 0));
  const marked = new Set(runs.flatMap(({ record }) => phases(record).map((p) => p.name)));
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'hint' },
      `${length.toFixed(0)} s from left to right; a column has one scale, from zero but for latency, which is logarithmic. Under each: lowest – highest of the strong line. Thin: offered rate, and p50 beside p99. A gap is a second that could not be read. Darker behind the lines: warm-up; lighter: the measured window.`,
      !marked.has('warm-up') && ' The records hold no reading before the window.',
    ),
    scroll(
      'Second by second',
      h(
        'table',
        { class: 'minis' },
        h('caption', {}, 'Each run, second by second'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'run'),
            ...columns.map((c) =>
              h(
                'th',
                { scope: 'col' },
                `${c.title} `,
                h('small', {}, unitOf(c.series[0]?.[0] ?? '').unit),
              ),
            ),
          ),
        ),
        ...report.groups.map((group) => body(group, runs, columns, length)),
      ),
    ),
  );
}

function body(
  group: ReportGroup,
  runs: readonly Run[],
  columns: readonly Column[],
  length: number,
): HTMLElement {
  const own = group.rows.flatMap((row) =>
    row.files.flatMap((file) => {
      const run = runs.find((r) => r.file === file);
      return run ? [{ row, run }] : [];
    }),
  );
  return h(
    'tbody',
    {},
    groupHead(group, columns.length + 1),
    ...own.map(({ row, run }) =>
      h(
        'tr',
        {},
        h(
          'th',
          { scope: 'row' },
          key(row.label),
          h('a', { href: run.href }, row.label),
          run.title && h('small', {}, run.title),
        ),
        ...(run.record.series
          ? columns.map((column) => h('td', {}, ...chart(run, column, length)))
          : [
              h(
                'td',
                { class: 'bad', colspan: columns.length },
                run.record.stopped
                  ? `failed in ${run.record.stopped.phase}: ${run.record.stopped.error}`
                  : 'no readings',
              ),
            ]),
      ),
    ),
  );
}

function chart({ record }: Run, { title, log, series, bounds }: Column, length: number): Child[] {
  const lines = series.map(([name, style]) => ({ style, values: shown(record, name) }));
  const known = lines[0]?.values.filter((v): v is number => v !== null) ?? [];
  const range = known.length
    ? `${three(known.reduce((a, b) => Math.min(a, b)))} – ${three(known.reduce((a, b) => Math.max(a, b)))}`
    : 'not read';
  const drawn = lines.filter(({ style, values }) => style === 'main' || values.some(Boolean));
  return [
    mini({
      label: `${title}, ${record.cell.variant}: ${range}`,
      lines: drawn.reverse(),
      bands: phases(record).filter((p) => MARKED.has(p.name)),
      step: record.series?.step ?? 1,
      seconds: length,
      bounds,
      log: log ?? false,
    }),
    h('small', {}, range),
  ];
}
