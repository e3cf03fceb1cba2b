// The charts of a comparison: latency by percentile, its distribution, latency by offered rate.

import type uPlot from 'uplot';
import { type Curve, curves } from '../charts/curves.ts';
import { imageButton } from '../charts/image.ts';
import { ink, seriesColor } from '../charts/theme.ts';
import type { Histogram } from '../data/histogram.ts';
import type { LoadPoint } from '../data/record.ts';
import { h } from '../dom.ts';

export const PERCENTS = [0, 50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99];
const TICKS = [0, 50, 90, 99, 99.9, 99.99];
const SIZE = { width: 560, height: 300 };
const TITLES = ['Latency by percentile', 'Latency distribution', 'Latency by offered rate'];

/** Of one side. */
export interface Drawn {
  title: string;
  histogram: Histogram | null;
  load: readonly LoadPoint[];
}

/** 0 → 0, 90 → 1, 99 → 2: the nines are as far from each other. */
export const nines = (percent: number) => Math.log10(1 / (1 - percent / 100));

export class Charts {
  readonly element: HTMLElement;
  readonly #sides: readonly Drawn[];
  readonly #limit: number;
  readonly #holders: HTMLElement[];
  #made: (uPlot | undefined)[] = []; // by holder: one that has nothing to show has no chart
  readonly #resize = () => {
    for (const [n, chart] of this.#made.entries()) {
      chart?.setSize({ width: this.#holders[n]?.clientWidth ?? SIZE.width, height: SIZE.height });
    }
  };

  constructor(sides: readonly Drawn[], limit: number) {
    this.#sides = sides;
    this.#limit = limit;
    const entries = sides.map((side, n) => ({ title: side.title, color: seriesColor(n) }));
    this.#holders = TITLES.map((title) =>
      h('div', { class: 'plot small', role: 'img', 'aria-label': title }),
    );
    this.element = h(
      'div',
      { class: 'charts' },
      ...TITLES.map((title, n) =>
        h(
          'figure',
          {},
          h('figcaption', {}, title),
          this.#holders[n],
          imageButton(
            title.toLowerCase().replaceAll(' ', '-'),
            title,
            () => this.#made[n]?.ctx.canvas,
            () => entries,
          ),
        ),
      ),
    );
  }

  draw(): void {
    const shown = (own: Histogram) => PERCENTS.filter((p) => (1 - p / 100) * own.total >= 1);
    this.#one(
      0,
      this.#of((own) => shown(own).map((p) => [nines(p), own.percentile(p) / 1000])),
      {
        x: 'percentile',
        y: 'ms',
        logY: true,
        splits: TICKS.map(nines),
        ticks: (at) => at.map((x) => `${Math.round((1 - 10 ** -x) * 1e4) / 100}`),
      },
    );
    this.#one(
      1,
      this.#of((own) => own.steps().map(([v, part]) => [v / 1000, part]), true),
      { x: 'ms', y: 'share of requests at or below', logX: true },
    );
    this.#one(
      2,
      this.#sides.flatMap(({ title, load }, n): Curve[] => [
        { title: `${title} p99`, color: seriesColor(n), points: load.map((p) => [p.rate, p.p99]) },
        {
          title: `${title} p50`,
          color: seriesColor(n),
          dashed: true,
          points: load.map((p) => [p.rate, p.p50]),
        },
      ]),
      {
        x: 'offered rate, requests/s (solid p99, dashed p50)',
        y: 'ms',
        logY: true,
        limit: this.#limit,
      },
    );
    addEventListener('resize', this.#resize);
  }

  destroy(): void {
    removeEventListener('resize', this.#resize);
    for (const chart of this.#made) chart?.destroy();
  }

  #of(points: (own: Histogram) => [number, number][], steps = false): Curve[] {
    return this.#sides.map(({ title, histogram }, n) => ({
      title,
      color: seriesColor(n),
      steps,
      points: histogram ? points(histogram) : [],
    }));
  }

  #one(
    n: number,
    shown: Curve[],
    options: Omit<Parameters<typeof curves>[2], 'width' | 'height' | 'ink'>,
  ): void {
    const holder = this.#holders[n] as HTMLElement;
    if (!shown.some((c) => c.points.length)) {
      holder.replaceChildren(h('p', {}, 'Neither side has such numbers.'));
      return;
    }
    this.#made[n] = curves(holder, shown, {
      ...SIZE,
      width: holder.clientWidth,
      ink: ink(),
      ...options,
    });
  }
}
