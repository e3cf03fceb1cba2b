// A chart of series over time or over commits: uPlot draws lines, bands and points; what is special about ours is
// drawn in its hooks: invalid points hollow and in no line, levels, changes, and where the environment changed.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from '../data/series.ts';
import type { PublishedFinding } from '../generated/published.ts';

export interface Shown {
  series: Series;
  title: string;
  findings: readonly PublishedFinding[];
  reference: number | null;
}

export interface Picked {
  series: Series;
  point: number;
}

export interface Range {
  from: number; // seconds since 1970
  to: number;
}

export interface Options {
  width: number;
  height: number;
  log: boolean;
  commits: boolean; // on the axis, instead of time
  unit: string;
  sync: string; // charts of the same name move together
  color: (n: number) => string;
  dash: (n: number) => number[];
  ink: { text: string; grid: string; warn: string };
  times: readonly number[]; // of the axis: all charts that move together have the same
  y: readonly [number, number] | null; // the same for all; null: as its own values ask
  range: Range | null;
  zoomed: (range: Range | null) => void;
  at: (picked: Picked | null, left: number, top: number) => void; // under the pointer, in the plot's own pixels
  open: (picked: Picked) => void; // clicked, tapped again
}

export interface Aligned {
  x: number[]; // time, or the place of a commit
  time: readonly number[]; // of each x
  value: (number | null)[][]; // of valid points
  low: (number | null)[][];
  high: (number | null)[][];
  other: (number | null)[][]; // of points that aren't valid
  point: (number | undefined)[][]; // each x's point in each series
}

// By the distance of two ticks: how each is written, and what is added where a year, a month or a day begins.
const TIMES: (string | number | null)[][] = [
  [365 * 86_400, '{YYYY}', null, null, null, null, null, null, 1],
  [28 * 86_400, '{YYYY}-{MM}', null, null, null, null, null, null, 1],
  [86_400, '{MM}-{DD}', '\n{YYYY}', null, null, null, null, null, 1],
  [60, '{HH}:{mm}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
  [1, '{HH}:{mm}:{ss}', '\n{YYYY}-{MM}-{DD}', null, '\n{MM}-{DD}', null, null, null, 1],
];
const LINES = 4; // of uPlot for each series: value, highest, lowest, not valid

export function timesOf(shown: readonly Shown[]): number[] {
  return [...new Set(shown.flatMap((s) => s.series.time))].sort((a, b) => a - b);
}

/** All series on one axis; where one has no point, null. */
export function align(
  shown: readonly Shown[],
  commits: boolean,
  times: readonly number[] = timesOf(shown),
): Aligned {
  const place = new Map(times.map((time, n) => [time, n]));
  const column = (): (number | null)[][] => shown.map(() => times.map(() => null));
  const found: Aligned = {
    x: commits ? times.map((_, n) => n) : [...times],
    time: times,
    value: column(),
    low: column(),
    high: column(),
    other: column(),
    point: shown.map(() => []),
  };
  for (const [s, { series }] of shown.entries()) {
    for (const [n, time] of series.time.entries()) {
      const at = place.get(time) as number;
      const number = series.value[n] as number;
      const valid = series.validity[n] === 'v';
      (found.point[s] as number[])[at] = n;
      (found[valid ? 'value' : 'other'][s] as number[])[at] = number;
      if (valid) {
        (found.low[s] as number[])[at] = series.low[n] ?? number;
        (found.high[s] as number[])[at] = series.high[n] ?? number;
      }
    }
  }
  return found;
}

export class Chart {
  readonly plot: uPlot;
  readonly #shown: readonly Shown[];
  readonly #aligned: Aligned;
  readonly #options: Options;
  #ready = false;
  #tapped: Picked | null = null;

  constructor(holder: HTMLElement, shown: readonly Shown[], options: Options) {
    this.#shown = shown;
    this.#options = options;
    this.#aligned = align(shown, options.commits, options.times);
    this.plot = this.#draw(holder);
    this.#ready = true;
    this.plot.over.addEventListener('click', (event) => this.#clicked(event));
    this.plot.over.addEventListener('pointerleave', (event) => {
      if (event.pointerType === 'mouse') options.at(null, 0, 0);
    });
  }

  /** Draws one series strongly, and the others faintly; all alike without one. */
  highlight(only: number | null): void {
    for (const [n, series] of this.plot.series.entries()) {
      if (n > 0) series.alpha = only === null || Math.floor((n - 1) / LINES) === only ? 1 : 0.15;
    }
    this.plot.redraw(false);
  }

  /** Shows one series alone; all without one. */
  isolate(only: number | null): void {
    this.plot.batch(() => {
      for (const n of this.plot.series.keys()) {
        if (n > 0)
          this.plot.setSeries(n, { show: only === null || Math.floor((n - 1) / LINES) === only });
      }
    });
  }

  /** Moves to the next point of a series, or the one before it: what keys do. */
  step(from: Picked | null, by: number): Picked | null {
    const series = from?.series ?? this.#shown[0]?.series;
    if (!series?.time.length) return null;
    const last = series.time.length - 1;
    const point = from ? Math.min(last, Math.max(0, from.point + by)) : last;
    return { series, point };
  }

  /** The next series' point nearest in time. */
  across(from: Picked, by: number): Picked {
    const place = this.#shown.findIndex((s) => s.series === from.series);
    const series = this.#shown[(place + by + this.#shown.length) % this.#shown.length]?.series;
    if (!series?.time.length) return from;
    const time = from.series.time[from.point] ?? 0;
    const point = series.time.reduce(
      (best, t, n) => (Math.abs(t - time) < Math.abs((series.time[best] ?? 0) - time) ? n : best),
      0,
    );
    return { series, point };
  }

  /** Where a point is drawn, in the plot's own pixels. */
  place({ series, point }: Picked): { left: number; top: number } {
    const time = series.time[point] ?? 0;
    const x = this.#options.commits ? this.#aligned.time.indexOf(time) : time;
    return {
      left: this.plot.valToPos(x, 'x'),
      top: this.plot.valToPos(series.value[point] ?? 0, 'y'),
    };
  }

  #clicked(event: MouseEvent): void {
    const box = this.plot.over.getBoundingClientRect();
    const [left, top] = [event.clientX - box.left, event.clientY - box.top];
    const picked = this.#nearest(left, top);
    if (!picked) return;
    const touched = (event as PointerEvent).pointerType === 'touch';
    const again = this.#tapped?.series === picked.series && this.#tapped.point === picked.point;
    if (!touched || again) {
      this.#options.open(picked);
      return;
    }
    this.#tapped = picked;
    const place = this.place(picked);
    this.plot.setCursor(place);
    this.#options.at(picked, place.left, place.top);
  }

  /** The point that is drawn nearest. */
  #nearest(left: number, top: number): Picked | null {
    const at = this.plot.posToIdx(left);
    let best: Picked | null = null;
    let least = Number.POSITIVE_INFINITY;
    for (const [s, { series }] of this.#shown.entries()) {
      const point = nearby(this.#aligned.point[s] ?? [], at);
      if (point === undefined || this.plot.series[1 + LINES * s]?.show === false) continue;
      const place = this.place({ series, point });
      const away = Math.hypot(place.left - left, place.top - top);
      if (away < least) {
        least = away;
        best = { series, point };
      }
    }
    return best;
  }

  #moved(u: uPlot): void {
    const { left, top, event } = u.cursor;
    // Charts that move together move this one's line, too: only the one under the pointer tells of a point.
    if (!this.#ready || !event || left === undefined || top === undefined || left < 0) return;
    const picked = this.#nearest(left, top);
    if (!picked) return;
    const place = this.place(picked);
    this.#options.at(picked, place.left, place.top);
  }

  #scaled(u: uPlot): void {
    const { min, max } = u.scales.x ?? {};
    if (!this.#ready || min == null || max == null) return;
    const { x, time } = this.#aligned;
    const whole = min <= (x[0] ?? 0) && max >= (x.at(-1) ?? 0);
    const moment = (at: number) =>
      this.#options.commits
        ? (time[Math.min(time.length - 1, Math.max(0, Math.round(at)))] ?? 0)
        : Math.round(at);
    this.#options.zoomed(whole ? null : { from: moment(min), to: moment(max) });
  }

  #draw(holder: HTMLElement): uPlot {
    const { options, columns, series, bands } = {
      options: this.#options,
      ...columnsOf(this.#shown, this.#aligned, this.#options),
    };
    const axis = {
      stroke: options.ink.text,
      grid: { stroke: options.ink.grid, width: 1 },
      ticks: { stroke: options.ink.grid },
    };
    const commits: uPlot.Axis = {
      ...axis,
      values: (_, at) => at.map((n) => commitAt(this.#shown, this.#aligned, n)),
    };
    const y: uPlot.Scale = { distr: options.log ? 3 : 1 };
    if (options.y) y.range = [options.y[0], options.y[1]];
    const plot = new uPlot(
      {
        width: options.width,
        height: options.height,
        series,
        bands,
        tzDate: (seconds) => uPlot.tzDate(new Date(seconds * 1000), 'Etc/UTC'),
        legend: { show: false },
        cursor: { sync: { key: options.sync }, drag: { x: true, y: false }, points: { size: 8 } },
        scales: { x: { time: !options.commits }, y },
        axes: [
          options.commits ? commits : { ...axis, values: TIMES },
          { ...axis, size: 64, label: options.unit, labelSize: 20 },
        ],
        hooks: {
          drawAxes: [(u) => marks(u, this.#shown, this.#aligned, options)],
          setCursor: [(u) => this.#moved(u)],
          setScale: [(u, key) => key === 'x' && this.#scaled(u)],
        },
      },
      columns,
      holder,
    );
    if (options.range) {
      const { from, to } = options.range;
      const at = (time: number) =>
        options.commits ? this.#aligned.time.findIndex((t) => t >= time) : time;
      plot.setScale('x', { min: at(from), max: at(to) });
    }
    return plot;
  }
}

/** The point at a place of the axis, or at the nearest that has one. */
function nearby(points: readonly (number | undefined)[], at: number): number | undefined {
  for (let away = 0; away < 40; away++) {
    const found = points[at - away] ?? points[at + away];
    if (found !== undefined) return found;
  }
  return undefined;
}

function columnsOf(shown: readonly Shown[], aligned: Aligned, options: Options) {
  const columns: uPlot.AlignedData = [aligned.x];
  const series: uPlot.Series[] = [{}];
  const bands: uPlot.Band[] = [];
  for (const [s, { title }] of shown.entries()) {
    const color = options.color(s);
    const first = columns.length;
    (columns as (number | null)[][]).push(
      aligned.value[s] ?? [],
      aligned.high[s] ?? [],
      aligned.low[s] ?? [],
      aligned.other[s] ?? [],
    );
    const edge: uPlot.Series = { stroke: 'transparent', points: { show: false }, spanGaps: true };
    series.push(
      {
        label: title,
        stroke: color,
        width: 1.5,
        dash: options.dash(s),
        spanGaps: true,
        points: { size: 4, fill: color },
      },
      { ...edge, label: `${title}, highest run` },
      { ...edge, label: `${title}, lowest run` },
      {
        label: `${title}, not valid`,
        stroke: color,
        paths: () => null,
        points: { show: true, size: 6, width: 1.2, fill: 'transparent' },
      },
    );
    bands.push({ series: [first + 1, first + 2], fill: `${color}22` });
  }
  return { columns, series, bands };
}

function commitAt(shown: readonly Shown[], aligned: Aligned, at: number): string {
  for (const [s, { series }] of shown.entries()) {
    const point = aligned.point[s]?.[at];
    if (point !== undefined) return (series.commit[point] ?? '').slice(0, 7);
  }
  return '';
}

/** Accepted levels, changes and each step by which they grew, and where something that isn't under test changed. */
function marks(u: uPlot, shown: readonly Shown[], aligned: Aligned, options: Options): void {
  const { ctx, bbox } = u;
  const x = (time: number) =>
    u.valToPos(options.commits ? aligned.time.findIndex((t) => t >= time) : time, 'x', true);
  const inside = (at: number) => at >= bbox.left && at <= bbox.left + bbox.width;
  ctx.save();
  ctx.lineWidth = devicePixelRatio;
  for (const [s, { series, findings, reference }] of shown.entries()) {
    ctx.strokeStyle = options.color(s);
    if (reference !== null) {
      const y = u.valToPos(reference, 'y', true);
      ctx.setLineDash([1, 4]);
      line(ctx, bbox.left, y, bbox.left + bbox.width, y);
    }
    ctx.setLineDash([]);
    for (const { time, worse } of marked(findings)) {
      const at = x(time);
      if (!inside(at)) continue;
      ctx.fillStyle = worse ? options.ink.warn : options.ink.text;
      triangle(ctx, at, bbox.top + 2, worse ? 1 : -1);
    }
    ctx.strokeStyle = options.ink.text;
    for (let n = 1; n < series.time.length; n++) {
      if (series.environment[n] === series.environment[n - 1]) continue;
      const at = x(series.time[n] as number);
      if (!inside(at)) continue;
      ctx.setLineDash([2, 3]);
      line(ctx, at, bbox.top, at, bbox.top + bbox.height);
    }
  }
  ctx.restore();
}

/** When levels shifted: each finding's beginning, and each step by which it grew. */
export function marked(findings: readonly PublishedFinding[]): { time: number; worse: boolean }[] {
  return findings.flatMap((f) =>
    [f.since, ...(f.growth ?? []).map((step) => step.since)].map(({ time }) => ({
      time,
      worse: f.kind !== 'improvement',
    })),
  );
}

/** Up for the worse, down for the better. */
function triangle(ctx: CanvasRenderingContext2D, at: number, top: number, way: 1 | -1): void {
  const size = 5 * devicePixelRatio;
  const [base, tip] = way === 1 ? [top + 2 * size, top] : [top, top + 2 * size];
  ctx.beginPath();
  ctx.moveTo(at, tip);
  ctx.lineTo(at - size, base);
  ctx.lineTo(at + size, base);
  ctx.fill();
}

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}
