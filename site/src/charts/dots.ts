// Estimates with their intervals, one a row, on one scale: a dot, a line, and a mark where nothing differs.

import type { Estimate } from '../data/interval.ts';
import { h } from '../dom.ts';

const WIDTH = 260;
const HEIGHT = 22;
const PAD = 8;

export interface Scale {
  at: (value: number) => number;
  mark: number | null;
}

/** Logarithmic, wide enough for all ends; `mark` is within it. */
export function scaleOf(all: readonly (Estimate | null)[], mark: number | null): Scale {
  const ends = all
    .flatMap((e) => (e ? [e.at, e.low, e.high] : []))
    .concat(mark ?? [])
    .filter((v): v is number => v !== null && v > 0 && Number.isFinite(v));
  const [low, high] = [Math.log(Math.min(...ends)), Math.log(Math.max(...ends))];
  const span = high - low || 1;
  return {
    at: (v) => PAD + ((WIDTH - 2 * PAD) * (Math.log(v) - low)) / span,
    mark,
  };
}

/** `kind` names a colour and a shape: what is sure is filled, what isn't is hollow. */
export function dot(own: Estimate | null, scale: Scale, kind: string, label: string): HTMLElement {
  const y = HEIGHT / 2;
  const inside = own !== null && own.at > 0;
  const filled = kind === 'better' || kind === 'worse' || kind === 'first';
  return h(
    'svg',
    {
      class: `dots ${kind}`,
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      'aria-label': label,
    },
    scale.mark === null
      ? null
      : h('line', {
          class: 'mark',
          x1: scale.at(scale.mark),
          x2: scale.at(scale.mark),
          y1: 0,
          y2: HEIGHT,
        }),
    inside && own.low !== null && own.high !== null
      ? h('line', {
          class: 'interval',
          x1: scale.at(own.low),
          x2: scale.at(own.high),
          y1: y,
          y2: y,
        })
      : null,
    inside
      ? h('circle', { class: filled ? 'sure' : 'open', cx: scale.at(own.at), cy: y, r: 4.5 })
      : null,
  );
}
