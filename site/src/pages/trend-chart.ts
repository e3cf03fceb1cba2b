// The charts of a trend: up to four series in one, more in a panel each, with one axis; a tooltip at the cursor, keys,
// and a legend that highlights a series and shows it alone.

import { imageButton } from '../charts/image.ts';
import { Chart, type Picked, type Range, type Shown, timesOf } from '../charts/line.ts';
import { ink, seriesColor, seriesDash } from '../charts/theme.ts';
import { Tip } from '../charts/tip.ts';
import { type Child, h } from '../dom.ts';
import { note } from '../state.ts';

const TOGETHER = 4; // series in one chart: more lines are hard to keep apart
const PANEL = 190;

export interface Chosen {
  name: string; // of the image
  title: string;
  unit: string;
  described: string;
  log: boolean;
  commits: boolean;
  range: Range | null;
  only: string | null; // the series that is shown alone
  tip: (picked: Picked) => Child[];
  open: (picked: Picked) => void;
}

export class TrendCharts {
  readonly element: HTMLElement;
  readonly #shown: readonly Shown[];
  readonly #how: Chosen;
  readonly #holders: HTMLElement[];
  readonly #panels: readonly (readonly Shown[])[];
  readonly #tips: Tip[];
  #charts: Chart[] = [];
  #only: number | null;
  readonly #resize = () => {
    for (const [n, chart] of this.#charts.entries()) {
      chart.plot.setSize({ width: this.#width(n), height: this.#height() });
    }
  };

  constructor(shown: readonly Shown[], how: Chosen) {
    this.#shown = shown;
    this.#how = how;
    this.#panels = shown.length > TOGETHER ? shown.map((s) => [s]) : [shown];
    const place = shown.findIndex((s) => s.series.name === how.only);
    this.#only = place < 0 ? null : place;
    this.#tips = this.#panels.map(() => new Tip());
    this.#holders = this.#panels.map((own, n) => this.#holder(own, n));
    const legend = this.#single ? this.#legend() : null;
    this.element = h(
      'div',
      {},
      h(
        'div',
        { class: this.#single ? '' : 'panels' },
        ...this.#holders.map((holder, n) => this.#figure(holder, n)),
      ),
      legend,
      h(
        'p',
        { class: 'legend quiet' },
        '┄ accepted level · ▲ worse since · ▼ better since · ┊ other surroundings · ○ not valid · times are UTC',
      ),
      h(
        'p',
        { class: 'quiet hint' },
        'Point at a chart for values, click for the run, drag to zoom, double-click to go back; or tap, and tap again. With keys: ← → along a series, ↑ ↓ to the next, Enter for the run.',
      ),
      imageButton(
        how.name,
        how.title,
        () => this.#charts[0]?.plot.ctx.canvas,
        () => (this.#panels[0] ?? []).map((s, n) => ({ title: s.title, color: seriesColor(n) })),
      ),
    );
  }

  get #single(): boolean {
    return this.#panels.length === 1;
  }

  draw(): void {
    const { log, commits, unit, range, open } = this.#how;
    if (!this.#shown.some((s) => s.series.time.length)) {
      this.#holders[0]?.replaceChildren(h('p', {}, 'No point of these series is in this range.'));
      return;
    }
    const times = timesOf(this.#shown);
    const y = this.#single ? null : extent(this.#shown, log);
    this.#charts = this.#panels.map((own, n) => {
      const holder = this.#holders[n] as HTMLElement;
      const tip = this.#tips[n] as Tip;
      const chart = new Chart(holder, own, {
        width: this.#width(n),
        height: this.#height(),
        log,
        commits,
        unit,
        sync: 'trend',
        color: seriesColor,
        dash: seriesDash,
        ink: ink(),
        times,
        y,
        range,
        zoomed: (to) =>
          note({ from: to ? String(to.from) : undefined, to: to ? String(to.to) : undefined }),
        at: (picked, left, top) => this.#tell(tip, holder, chart, picked, left, top),
        open,
      });
      holder.append(tip.element);
      return chart;
    });
    if (this.#only !== null && this.#single) this.#charts[0]?.isolate(this.#only);
    addEventListener('resize', this.#resize);
  }

  destroy(): void {
    removeEventListener('resize', this.#resize);
    for (const chart of this.#charts) chart.plot.destroy();
  }

  #tell(
    tip: Tip,
    holder: HTMLElement,
    chart: Chart,
    picked: Picked | null,
    left: number,
    top: number,
  ): void {
    if (!picked) {
      tip.hide();
      return;
    }
    const { offsetLeft, offsetTop } = chart.plot.over;
    tip.show(left + offsetLeft, top + offsetTop, holder, ...this.#how.tip(picked));
  }

  #width = (n: number) => (this.#holders[n]?.clientWidth ?? 0) - 16;

  #height(): number {
    return this.#single ? Math.max(260, Math.min(440, Math.round(innerHeight * 0.5))) : PANEL;
  }

  #figure(holder: HTMLElement, n: number): HTMLElement {
    if (this.#single) return holder;
    return h('figure', {}, h('figcaption', {}, this.#panels[n]?.[0]?.title), holder);
  }

  #holder(own: readonly Shown[], n: number): HTMLElement {
    let picked: Picked | null = null;
    const keys = (event: globalThis.Event) => {
      const { key } = event as KeyboardEvent;
      const chart = this.#charts[n];
      if (!chart) return;
      if (key === 'Enter' && picked) this.#how.open(picked);
      else if (key === 'Escape') this.#tips[n]?.hide();
      else if (key === 'ArrowLeft' || key === 'ArrowRight')
        picked = chart.step(picked, key === 'ArrowLeft' ? -1 : 1);
      else if (picked && (key === 'ArrowUp' || key === 'ArrowDown'))
        picked = chart.across(picked, key === 'ArrowUp' ? -1 : 1);
      else return;
      event.preventDefault();
      if (!picked || key === 'Escape' || key === 'Enter') return;
      const { left, top } = chart.place(picked);
      chart.plot.setCursor({ left, top });
      this.#tell(this.#tips[n] as Tip, this.#holders[n] as HTMLElement, chart, picked, left, top);
    };
    return h('div', {
      class: `plot${this.#single ? '' : ' panel'}`,
      id: `plot-${n}`,
      tabindex: 0,
      role: 'group',
      'aria-roledescription': 'chart',
      'aria-label': this.#single ? this.#how.described : `${own[0]?.title}: ${this.#how.title}`,
      keydown: keys,
    });
  }

  #legend(): HTMLElement {
    const buttons = this.#shown.map((s, n) =>
      h(
        'button',
        {
          type: 'button',
          class: 'entry',
          id: `legend-${n}`,
          'aria-pressed': this.#only === n ? 'true' : 'false',
          title: 'Show it alone',
          click: () => this.#isolate(this.#only === n ? null : n, buttons),
          mouseenter: () => this.#charts[0]?.highlight(n),
          focus: () => this.#charts[0]?.highlight(n),
          mouseleave: () => this.#charts[0]?.highlight(null),
          blur: () => this.#charts[0]?.highlight(null),
        },
        swatch(n),
        ` ${s.title}`,
      ),
    );
    return h(
      'ul',
      { class: 'legend', 'aria-label': 'Series' },
      ...buttons.map((b) => h('li', {}, b)),
    );
  }

  #isolate(only: number | null, buttons: readonly HTMLElement[]): void {
    this.#only = only;
    this.#charts[0]?.isolate(only);
    for (const [n, button] of buttons.entries())
      button.setAttribute('aria-pressed', only === n ? 'true' : 'false');
    note({ only: only === null ? undefined : this.#shown[only]?.series.name });
  }
}

export function swatch(n: number): HTMLElement {
  return h(
    'svg',
    { width: 26, height: 10, 'aria-hidden': 'true' },
    h('line', {
      class: `series-${n}`,
      x1: 0,
      x2: 26,
      y1: 5,
      y2: 5,
      'stroke-width': 2.5,
      'stroke-dasharray': seriesDash(n).join(' ') || undefined,
    }),
  );
}

/** Lowest and highest of all, with a little air: the axis of every panel. */
function extent(shown: readonly Shown[], log: boolean): [number, number] {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { series } of shown) {
    for (const value of series.value) {
      if (log && value <= 0) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!(low <= high)) return [0, 1];
  const air = (high - low) * 0.05 || Math.abs(high) * 0.05 || 1;
  return log ? [low / 1.1, high * 1.1] : [low - air, high + air];
}
