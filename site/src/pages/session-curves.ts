// Latency against the offered rate of each stage: a panel for each app, all on the same scales.

import type uPlot from 'uplot';
import { type Curve, curves } from '../charts/curves.ts';
import { ink, seriesColor } from '../charts/theme.ts';
import { Histogram } from '../data/histogram.ts';
import { latencies, type RecordOf } from '../data/record.ts';
import { h } from '../dom.ts';
import type { Report, ReportGroup, ReportRow } from '../generated/published.ts';
import type { Stage } from '../generated/record.ts';
import { colorOf, key, type Run, scroll } from './session-parts.ts';

const PERCENTILES = { p50: 50, p95: 95, p99: 99 };
const NUMBERS = { ...PERCENTILES, 'p99.9': 99.9, max: 100 };
const HEIGHT = 270;

/** A cell, with the latencies of its stages. */
export interface Arm {
  group: ReportGroup;
  row: ReportRow;
  stages: readonly Measured[];
}

export interface Measured {
  stage: Stage;
  all: Histogram;
  endpoints: ReadonlyMap<string, Histogram>;
}

interface Panel {
  title: string;
  where: string;
  shown: Curve[];
}

/** Of all cells that were measured: the histograms of the runs that their numbers are of, merged. */
export async function arms(report: Report, runs: readonly Run[]): Promise<Arm[]> {
  const records = new Map(runs.map((run) => [run.file, run.record]));
  const cells = report.groups.flatMap((group) =>
    group.rows.filter((row) => row.kind === 'cell').map((row) => ({ group, row })),
  );
  return Promise.all(
    cells.map(async ({ group, row }) => {
      const own = row.behind.flatMap((file) => records.get(file) ?? []);
      const stages = own.find((r) => r.load)?.load?.stages ?? [];
      const measured = await Promise.all(stages.map((stage) => ofStage(stage, own)));
      return { group, row, stages: measured.filter((m) => m !== null) };
    }),
  );
}

async function ofStage(stage: Stage, records: readonly RecordOf[]): Promise<Measured | null> {
  const names = new Set(records.flatMap((r) => (r.latencies ?? []).map((l) => l.endpoint)));
  const endpoints = new Map<string, Histogram>();
  for (const name of [...names].sort()) {
    const all = await Promise.all(records.map((r) => latencies(r, stage.name, name)));
    const found = all.filter((own) => own !== null);
    if (found.length) endpoints.set(name, Histogram.merged(found));
  }
  return endpoints.size
    ? { stage, all: Histogram.merged([...endpoints.values()]), endpoints }
    : null;
}

/** The panels: of all endpoints together, and folded away those of each. */
export class Curves {
  readonly element: HTMLElement;
  readonly #limit: number;
  readonly #scales: { x: [number, number]; y: [number, number] } | null;
  readonly #holders = new Map<HTMLElement, Panel>();
  readonly #made = new Map<HTMLElement, uPlot>();
  readonly #resize = () => {
    for (const [holder, chart] of this.#made)
      chart.setSize({ width: holder.clientWidth, height: HEIGHT });
  };

  constructor(report: Report, found: readonly Arm[]) {
    this.#limit = report.p99_limit_ms;
    const groups = report.groups.filter((g) => found.some((a) => a.group === g && a.stages.length));
    const names = [
      ...new Set(found.flatMap((a) => a.stages.flatMap((s) => [...s.endpoints.keys()]))),
    ].sort();
    const panel = (
      group: ReportGroup,
      where: string,
      of: (s: Measured) => Histogram | undefined,
    ): Panel => ({
      title: group.app,
      where,
      shown: found.filter((a) => a.group === group).flatMap((a) => curvesOf(a, of)),
    });
    const together = groups.map((g) => panel(g, g.where, (s) => s.all));
    const apart = groups.flatMap((g) =>
      names.map((name) => panel(g, name, (s) => s.endpoints.get(name))),
    );
    this.#scales = scalesOf(
      [...together, ...apart].flatMap((p) => p.shown.flatMap((c) => c.points)),
    );
    this.element = this.#scales
      ? h(
          'div',
          {},
          h(
            'p',
            { class: 'hint' },
            `All panels have the same scales; latency’s is logarithmic. A point is a stage, at the mean of its offered rate. Dashed p50, thin p95, strong p99; dotted across: ${this.#limit} ms, which p99 must keep for a rate to count as capacity. A percentile is left out where fewer than one request lies beyond it.`,
          ),
          legend(found),
          h('div', { class: 'panels' }, ...together.map((p) => this.#figure(p))),
          this.#folded(apart),
        )
      : h('p', {}, 'No run got as far as its window.');
  }

  draw(): void {
    for (const holder of this.#holders.keys())
      if (!holder.closest('details:not([open])')) this.#one(holder);
    addEventListener('resize', this.#resize);
  }

  destroy(): void {
    removeEventListener('resize', this.#resize);
    for (const chart of this.#made.values()) chart.destroy();
  }

  #folded(panels: readonly Panel[]): HTMLElement {
    const details = h(
      'details',
      {},
      h('summary', { id: 'endpoints' }, 'By endpoint'),
      h('div', { class: 'panels' }, ...panels.map((p) => this.#figure(p))),
    );
    details.addEventListener('toggle', () => {
      for (const holder of details.querySelectorAll<HTMLElement>('.plot')) this.#one(holder);
    });
    return details;
  }

  #figure(panel: Panel): HTMLElement {
    const holder = h('div', {
      class: 'plot panel',
      role: 'img',
      'aria-label': `Latency against offered rate: ${panel.title}, ${panel.where}`,
    });
    this.#holders.set(holder, panel);
    return h(
      'figure',
      {},
      h('figcaption', {}, `${panel.title} `, h('small', {}, panel.where)),
      holder,
    );
  }

  #one(holder: HTMLElement): void {
    const panel = this.#holders.get(holder);
    if (!panel || !this.#scales || this.#made.has(holder)) return;
    this.#made.set(
      holder,
      curves(holder, panel.shown, {
        width: holder.clientWidth,
        height: HEIGHT,
        x: 'offered rate, requests/s',
        y: 'ms',
        logY: true,
        limit: this.#limit,
        rangeX: this.#scales.x,
        rangeY: this.#scales.y,
        ink: ink(),
      }),
    );
  }
}

function curvesOf({ row, stages }: Arm, of: (s: Measured) => Histogram | undefined): Curve[] {
  const color = seriesColor(colorOf(row.label));
  return Object.entries(PERCENTILES).map(([name, percent]) => ({
    title: `${row.label} ${name}`,
    color,
    dashed: name === 'p50',
    width: name === 'p99' ? 2.2 : 1.3,
    points: pointsOf(stages, of, percent),
  }));
}

/** By the mean of each stage's offered rate; none where fewer than one request lies beyond the percentile. */
export function pointsOf(
  stages: readonly Measured[],
  of: (s: Measured) => Histogram | undefined,
  percent: number,
): [number, number][] {
  return stages
    .flatMap((s): [number, number][] => {
      const own = of(s);
      return own && own.total * (100 - percent) >= 100
        ? [[(s.stage.from_rate + s.stage.to_rate) / 2, own.percentile(percent) / 1000]]
        : [];
    })
    .sort(([a], [b]) => a - b);
}

/** Those that all points fit in; null when there is nothing to draw. */
export function scalesOf(
  points: readonly (readonly [number, number])[],
): { x: [number, number]; y: [number, number] } | null {
  if (!points.length) return null;
  const [xs, ys] = [points.map(([x]) => x), points.map(([, y]) => Math.max(y, 0.001))];
  const [left, right] = [Math.min(...xs), Math.max(...xs)];
  const margin = (right - left) * 0.04 || left * 0.1 || 1;
  return {
    x: [left - margin, right + margin],
    y: [Math.min(...ys) / 1.3, Math.max(...ys) * 1.3],
  };
}

function legend(found: readonly Arm[]): HTMLElement {
  const launches = [...new Set(found.map((a) => a.row.label))];
  return h(
    'ul',
    { class: 'legend' },
    ...launches.map((name) => h('li', {}, key(name), ` ${name}`)),
  );
}

/** The numbers behind the curves. */
export function numbers(report: Report, found: readonly Arm[]): HTMLElement | null {
  const rows = report.groups.flatMap((group) =>
    found
      .filter((a) => a.group === group)
      .flatMap((arm) => arm.stages.map((own) => ({ arm, own }))),
  );
  if (!rows.length) return null;
  return h(
    'details',
    {},
    h('summary', { id: 'numbers' }, 'The numbers behind the curves'),
    scroll(
      'Latency by stage',
      h(
        'table',
        {},
        h('caption', {}, 'Latency by stage, ms'),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            ...['app', 'threads', 'stage'].map((title) => h('th', { scope: 'col' }, title)),
            ...['offered, 1/s', 'requests', ...Object.keys(NUMBERS)].map((title) =>
              h('th', { scope: 'col', class: 'number' }, title),
            ),
          ),
        ),
        h(
          'tbody',
          {},
          ...rows.map(({ arm, own }) =>
            h(
              'tr',
              { 'data-cell': arm.row.name, 'data-stage': own.stage.name },
              h('th', { scope: 'row' }, arm.group.app),
              h('td', {}, key(arm.row.label), arm.row.label),
              h('td', {}, own.stage.name),
              h('td', { class: 'number' }, offered(own.stage)),
              h('td', { class: 'number' }, own.all.total.toLocaleString('en')),
              ...Object.entries(NUMBERS).map(([name, percent]) =>
                h(
                  'td',
                  { class: 'number', 'data-percentile': name },
                  two(own.all.percentile(percent) / 1000),
                ),
              ),
            ),
          ),
        ),
      ),
    ),
  );
}

const offered = ({ from_rate: from, to_rate: to }: Stage) =>
  from === to ? `${from}` : `${from} → ${to}`;

const two = (ms: number) =>
  ms.toLocaleString('en', { minimumFractionDigits: 2, maximumFractionDigits: 2 });
