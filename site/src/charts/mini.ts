// Lines over the seconds of a run, as small as a cell of a table: many of them are compared by eye.

import type { Values } from '../data/timeline.ts';
import { h } from '../dom.ts';

const WIDTH = 240;
const HEIGHT = 60;
const PAD = 4;

export interface Bounds {
  low: number;
  high: number;
}

export interface Mini {
  label: string;
  lines: readonly { style: 'main' | 'thin' | 'bad'; values: Values }[];
  bands: readonly { name: string; from: number; to: number }[];
  step: number; // seconds between two values
  seconds: number; // from left to right
  bounds: Bounds;
  log?: boolean;
}

/** The bounds that all values fit in; null where there is none. */
export function boundsOf(all: Iterable<Values>, log = false): Bounds | null {
  const values = [...all].flat().filter((v): v is number => v !== null && (!log || v > 0));
  if (!values.length) return null;
  const high = values.reduce((a, b) => Math.max(a, b));
  const low = values.reduce((a, b) => Math.min(a, b));
  return { low: log ? low : Math.min(low, 0), high };
}

export function mini(own: Mini): HTMLElement {
  const x = scale(0, own.seconds, PAD, WIDTH - PAD, false);
  const y = scale(own.bounds.low, own.bounds.high, HEIGHT - PAD, PAD, own.log ?? false);
  return h(
    'svg',
    {
      class: 'mini',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': own.label,
    },
    ...own.bands.map(({ name, from, to }) =>
      h('rect', {
        class: `band-${name}`,
        x: x(from),
        y: 0,
        width: x(to) - x(from),
        height: HEIGHT,
      }),
    ),
    ...own.lines.map(({ style, values }) =>
      h('path', {
        class: style,
        fill: 'none',
        d: broken(values.map((v, n) => (v === null ? null : [x(n * own.step), y(v)]))),
      }),
    ),
  );
}

function scale(low: number, high: number, start: number, end: number, log: boolean) {
  const of = (v: number) => (log ? Math.log10(Math.max(v, low)) : v);
  const [from, to] = [of(low), of(high)];
  return (v: number) => {
    const share = to > from ? (of(v) - from) / (to - from) : 0.5;
    return Math.round(start + (end - start) * Math.min(Math.max(share, 0), 1));
  };
}

/** A path, broken where there is no point; a lone point is a dot. */
export function broken(points: readonly (readonly [number, number] | null)[]): string {
  let path = '';
  let open = false;
  for (const [n, point] of points.entries()) {
    if (!point) {
      open = false;
      continue;
    }
    path += `${open ? 'L' : 'M'}${point[0]} ${point[1]}`;
    if (!open && !points[n + 1]) path += 'h0';
    open = true;
  }
  return path;
}
