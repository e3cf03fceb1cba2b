// Bars as small as a word: how large a ratio is, and how long the phases of a run took.

import { h } from '../dom.ts';

const RATIO = { width: 64, height: 9 };
const PHASES = { width: 1000, height: 14 };

/** From 1, as long as the ratio's logarithm: half and double are equally long. `most`: of all of them. */
export function ratioBar(ratio: number, most: number, label: string): HTMLElement {
  const at = (log: number) => (RATIO.width * (log / (most || 1) + 1)) / 2;
  const [one, here] = [at(0), at(Math.log10(ratio))];
  return h(
    'svg',
    { class: 'ratio-bar', ...box(RATIO), role: 'img', 'aria-label': label },
    h('rect', {
      x: Math.min(one, here),
      y: 2,
      width: Math.max(Math.abs(here - one), 1),
      height: 5,
    }),
    h('line', { x1: one, x2: one, y1: 0, y2: RATIO.height }),
  );
}

const KNOWN = new Set(['database', 'start', 'warm-up', 'window', 'stop']);

/** A run from its start, phase after phase, as long as `longest` seconds. */
export function phaseBar(
  phases: readonly { name: string; from: number; to: number }[],
  longest: number,
): HTMLElement {
  const at = (seconds: number) => (PHASES.width * seconds) / (longest || 1);
  const words = phases.map((p) => `${p.name} ${(p.to - p.from).toFixed(1)} s`);
  return h(
    'svg',
    {
      class: 'phases',
      ...box(PHASES),
      preserveAspectRatio: 'none',
      role: 'img',
      'aria-label': `Phases: ${words.join(', ')}`,
    },
    ...phases.map((p) =>
      h('rect', {
        class: `phase-${KNOWN.has(p.name) ? p.name : 'between'}`,
        x: at(p.from),
        y: 0,
        width: at(p.to - p.from),
        height: PHASES.height,
      }),
    ),
  );
}

const box = ({ width, height }: { width: number; height: number }) => ({
  viewBox: `0 0 ${width} ${height}`,
});
