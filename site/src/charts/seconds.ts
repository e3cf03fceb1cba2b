// Lines over the seconds of a run, charts of one run in sync; phases are bands behind them.

import uPlot from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Group, three } from '../data/timeline.ts';
import { NONE } from '../format.ts';
import type { Ink } from './theme.ts';

export interface SecondsOptions {
  width: number;
  height: number;
  sync: string;
  color: (n: number) => string;
  dash: (n: number) => number[];
  ink: Ink;
  window: { from: number; to: number } | undefined;
}

export function seconds(
  holder: HTMLElement,
  group: Group,
  at: readonly number[],
  options: SecondsOptions,
): uPlot {
  const axis = {
    stroke: options.ink.text,
    grid: { stroke: options.ink.grid, width: 1 },
    ticks: { stroke: options.ink.grid },
  };
  const positive = (v: number | null) => (group.log && v !== null && v <= 0 ? null : v);
  const columns = [at, ...group.lines.map((line) => line.values.map(positive))];
  return new uPlot(
    {
      width: options.width,
      height: options.height,
      legend: { show: true, live: true },
      cursor: { sync: { key: options.sync }, drag: { x: true, y: false } },
      scales: { x: { time: false }, y: { distr: group.log ? 3 : 1 } },
      axes: [
        { ...axis, values: (_, splits) => splits.map((s) => `${s} s`) },
        { ...axis, size: 56, label: group.unit, labelSize: 20 },
      ],
      series: [
        { label: 'second' },
        ...group.lines.map(
          (line, n): uPlot.Series => ({
            label: line.title,
            stroke: options.color(n),
            dash: options.dash(n),
            width: 1.5,
            points: { show: false },
            value: (_, v) => (v === null || v === undefined ? NONE : three(v)),
          }),
        ),
      ],
      hooks: {
        drawAxes: [
          (u) => {
            const { ctx, bbox } = u;
            if (!options.window) return;
            const left = Math.max(bbox.left, u.valToPos(options.window.from, 'x', true));
            const right = Math.min(
              bbox.left + bbox.width,
              u.valToPos(options.window.to, 'x', true),
            );
            ctx.save();
            ctx.globalAlpha = 0.5;
            ctx.fillStyle = options.ink.grid;
            ctx.fillRect(left, bbox.top, Math.max(0, right - left), bbox.height);
            ctx.restore();
          },
        ],
      },
    },
    columns as uPlot.AlignedData,
    holder,
  );
}
