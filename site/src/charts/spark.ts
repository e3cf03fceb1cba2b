// A line of the last values, as small as a word.

import { h } from '../dom.ts';

const WIDTH = 88;
const HEIGHT = 22;

export function path(values: readonly number[]): string {
  if (values.length < 2) return '';
  const low = Math.min(...values);
  const span = Math.max(...values) - low || 1;
  return values
    .map((v, n) => {
      const x = 1 + ((WIDTH - 2) * n) / (values.length - 1);
      const y = HEIGHT - 2 - ((HEIGHT - 4) * (v - low)) / span;
      return `${n ? 'L' : 'M'}${x.toFixed(1)} ${y.toFixed(1)}`;
    })
    .join('');
}

export function spark(values: readonly number[], label: string): HTMLElement {
  return h(
    'svg',
    {
      class: 'spark',
      viewBox: `0 0 ${WIDTH} ${HEIGHT}`,
      width: WIDTH,
      height: HEIGHT,
      role: 'img',
      'aria-label': label,
    },
    h('path', { d: path(values), fill: 'none' }),
  );
}
