// Curves of y over x that isn't time: distributions, latency by offered rate.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';

export interface Curve {
  title: string;
  points: readonly (readonly [number, number])[];
  color: string;
  dashed?: boolean;
  width?: number;
  steps?: boolean;
}

export interface CurveOptions {
  width: number;
  height: number;
  x: string; // what is on the axis
  y: string;
  logX?: boolean;
  logY?: boolean;
  ticks?: (at: number[]) => string[];
  splits?: number[];
  limit?: number; // a line across
  rangeX?: [number, number]; // in place of what holds these curves: where several charts share their scales
  rangeY?: [number, number];
  ink: { text: string; grid: string; warn: string };
}

/** All curves on one set of x values; where one has none, null. */
export function aligned(curves: readonly Curve[]): (number | null)[][] {
  const every = [...new Set(curves.flatMap((c) => c.points.map(([x]) => x)))].sort((a, b) => a - b);
  const place = new Map(every.map((x, n) => [x, n]));
  const columns = curves.map((curve) => {
    const column: (number | null)[] = every.map(() => null);
    for (const [x, y] of curve.points) column[place.get(x) as number] = y;
    return column;
  });
  return [every, ...columns];
}

export function curves(holder: HTMLElement, shown: readonly Curve[], options: CurveOptions): uPlot {
  const axis = {
    stroke: options.ink.text,
    grid: { stroke: options.ink.grid, width: 1 },
    ticks: { stroke: options.ink.grid },
    labelSize: 20,
  };
  const x: uPlot.Axis = { ...axis, label: options.x };
  const { ticks, splits, limit, rangeX, rangeY } = options;
  if (ticks) x.values = (_, at) => ticks(at);
  if (splits) x.splits = () => splits;
  const paths = uPlot.paths.stepped?.({ align: 1 });
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      legend: { show: false },
      cursor: { drag: { x: false, y: false } },
      scales: {
        x: { time: false, distr: options.logX ? 3 : 1, ...(rangeX ? { range: rangeX } : {}) },
        y: { distr: options.logY ? 3 : 1, ...(rangeY ? { range: rangeY } : {}) },
      },
      axes: [x, { ...axis, label: options.y, size: 64 }],
      series: [
        {},
        ...shown.map(
          (curve): uPlot.Series => ({
            label: curve.title,
            stroke: curve.color,
            width: curve.width ?? 1.5,
            spanGaps: true,
            points: { show: !curve.steps },
            ...(curve.dashed ? { dash: [6, 4] } : {}),
            ...(curve.steps && paths ? { paths } : {}),
          }),
        ),
      ],
      hooks: {
        drawAxes: [
          (u) => {
            if (limit === undefined) return;
            const y = u.valToPos(limit, 'y', true);
            const { ctx, bbox } = u;
            if (y < bbox.top || y > bbox.top + bbox.height) return;
            ctx.save();
            ctx.strokeStyle = options.ink.warn;
            ctx.setLineDash([2, 3]);
            ctx.beginPath();
            ctx.moveTo(bbox.left, y);
            ctx.lineTo(bbox.left + bbox.width, y);
            ctx.stroke();
            ctx.restore();
          },
        ],
      },
    },
    aligned(shown) as uPlot.AlignedData,
    holder,
  );
}
