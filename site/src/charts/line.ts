// A chart of series over time or over commits: uPlot draws lines, bands and points; what is special about ours is
// drawn in its hooks: invalid points hollow and in no line, levels, changes, and where the environment changed.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import type { Series } from '../data/series.ts';
import type { Told } from '../generated/published.ts';

export interface Shown {
  series: Series;
  title: string;
  findings: readonly Told[];
  reference: number | null;
}

export interface Options {
  width: number;
  height: number;
  log: boolean;
  commits: boolean; // on the axis, instead of time
  unit: string;
  sync: string; // charts of the same name move together
  color: (n: number) => string;
  ink: { text: string; grid: string; warn: string };
  pick: (series: Series, point: number) => void;
  hover: (points: readonly (Picked | null)[]) => void;
}

export interface Picked {
  series: Series;
  point: number;
}

export interface Aligned {
  x: number[]; // time, or the place of a commit
  time: number[]; // of each x
  value: (number | null)[][]; // of valid points
  low: (number | null)[][];
  high: (number | null)[][];
  other: (number | null)[][]; // of points that aren't valid
  point: (number | undefined)[][]; // each x's point in each series
}

/** All series on one axis; where one has no point, null. */
export function align(shown: readonly Shown[], commits: boolean): Aligned {
  const times = [...new Set(shown.flatMap((s) => s.series.time))].sort((a, b) => a - b);
  const place = new Map(times.map((time, n) => [time, n]));
  const column = (): (number | null)[][] => shown.map(() => times.map(() => null));
  const found: Aligned = {
    x: commits ? times.map((_, n) => n) : times,
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

export function draw(holder: HTMLElement, shown: readonly Shown[], options: Options): uPlot {
  const aligned = align(shown, options.commits);
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
      { label: title, stroke: color, width: 1.5, spanGaps: true, points: { size: 4, fill: color } },
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
  const axis = {
    stroke: options.ink.text,
    grid: { stroke: options.ink.grid, width: 1 },
    ticks: { stroke: options.ink.grid },
  };
  const chart = new uPlot(
    {
      width: options.width,
      height: options.height,
      series,
      bands,
      legend: { show: false },
      cursor: { sync: { key: options.sync }, drag: { x: true, y: false }, points: { size: 8 } },
      scales: { x: { time: !options.commits }, y: { distr: options.log ? 3 : 1 } },
      axes: [
        options.commits
          ? {
              ...axis,
              values: (_: uPlot, at: number[]) => at.map((n) => commitAt(shown, aligned, n)),
            }
          : axis,
        { ...axis, size: 64, label: options.unit, labelSize: 20 },
      ],
      hooks: {
        drawAxes: [(u) => marks(u, shown, aligned, options)],
        setCursor: [
          (u) => {
            const at = u.cursor.idx;
            options.hover(
              shown.map(({ series: own }, s) => {
                const point = at === null || at === undefined ? undefined : aligned.point[s]?.[at];
                return point === undefined ? null : { series: own, point };
              }),
            );
          },
        ],
      },
    },
    columns,
    holder,
  );
  chart.over.addEventListener('click', () => {
    const at = chart.cursor.idx;
    if (at === null || at === undefined) return;
    const near = nearest(chart, aligned, at);
    const own = near === null ? undefined : shown[near]?.series;
    const point = near === null ? undefined : aligned.point[near]?.[at];
    if (own && point !== undefined) options.pick(own, point);
  });
  return chart;
}

function nearest(chart: uPlot, aligned: Aligned, at: number): number | null {
  let best: number | null = null;
  let least = Number.POSITIVE_INFINITY;
  for (const s of aligned.value.keys()) {
    const value = aligned.value[s]?.[at] ?? aligned.other[s]?.[at];
    if (value === null || value === undefined) continue;
    const away = Math.abs(chart.valToPos(value, 'y') - (chart.cursor.top ?? 0));
    if (away < least) {
      least = away;
      best = s;
    }
  }
  return best;
}

function commitAt(shown: readonly Shown[], aligned: Aligned, at: number): string {
  for (const [s, { series }] of shown.entries()) {
    const point = aligned.point[s]?.[at];
    if (point !== undefined) return (series.commit[point] ?? '').slice(0, 7);
  }
  return '';
}

/** Accepted levels, changes, and where something that isn't under test changed. */
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
      ctx.setLineDash([6, 4]);
      line(ctx, bbox.left, y, bbox.left + bbox.width, y);
    }
    for (const finding of findings) {
      const at = x(finding.since.time);
      if (!inside(at)) continue;
      ctx.setLineDash([]);
      ctx.fillStyle = finding.kind === 'improvement' ? options.color(s) : options.ink.warn;
      const y = bbox.top + 2;
      ctx.beginPath();
      ctx.moveTo(at, y + 10 * devicePixelRatio);
      ctx.lineTo(at - 5 * devicePixelRatio, y);
      ctx.lineTo(at + 5 * devicePixelRatio, y);
      ctx.fill();
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

function line(ctx: CanvasRenderingContext2D, x1: number, y1: number, x2: number, y2: number): void {
  ctx.beginPath();
  ctx.moveTo(x1, y1);
  ctx.lineTo(x2, y2);
  ctx.stroke();
}
