// Whether the numbers can be believed: how fresh they are, how much this runner's noise hides, how steady it is.

import { cellWords, variantOf } from '../catalog.ts';
import { type Child, h, table } from '../dom.ts';
import { ago, moment, NONE } from '../format.ts';
import type { Calibration, Floor, Now, Standing, Step } from '../generated/published.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';

const PAIRS = '15'; // for which the minimum detectable effect is given
const LATE = 3 * 86_400;

export async function health({ store, now: today }: Context): Promise<View> {
  const [index, now] = await Promise.all([store.index(), store.now()]);
  const element = h(
    'div',
    {},
    h('h1', {}, 'Can it be believed?'),
    h(
      'p',
      { class: 'lead' },
      `Written ${moment(index.written)}: ${index.points.toLocaleString('en')} points, ${index.runs.toLocaleString('en')} records, ${Math.round(index.bytes / 1e6).toLocaleString('en')} MB.`,
    ),
    freshness(now, today),
    canary(now),
    ...now.floors.calibrations.map((c) => noise(now, c)),
    now.floors.calibrations.length === 0 &&
      h(
        'p',
        { class: 'quiet' },
        'This runner’s noise was not measured yet: ./telar calibrate pull-request --write',
      ),
    ...detector(now),
  );
  return { title: 'Health', element };
}

interface Fresh {
  title: string;
  newest: Standing;
  series: number;
  invalid: number;
}

/** A line a variant: when it was last measured, and how much of it is valid. */
export function freshOf(now: Now): Fresh[] {
  const found = new Map<string, Fresh>();
  for (const standing of now.standing) {
    const cell = now.cells[standing.series];
    const title = cell ? variantOf(cell) : 'of other tools';
    const before = found.get(title);
    const newest = before && before.newest.time > standing.time ? before.newest : standing;
    found.set(title, {
      title,
      newest,
      series: (before?.series ?? 0) + 1,
      invalid: (before?.invalid ?? 0) + (standing.validity === 'invalid' ? 1 : 0),
    });
  }
  return [...found.values()].sort((a, b) => a.newest.time - b.newest.time);
}

function freshness(now: Now, today: number): HTMLElement {
  const late = (f: Fresh): Child =>
    today - f.newest.time > LATE
      ? h('span', { class: 'badge suspected' }, 'late')
      : h('span', { class: 'quiet' }, 'fresh');
  return table<Fresh>(
    'Freshness, oldest first',
    [
      { title: 'Variant', cell: (f) => f.title },
      { title: 'Newest', cell: (f) => `${moment(f.newest.time)}, ${ago(f.newest.time, today)}` },
      { title: 'Series', number: true, cell: (f) => f.series },
      { title: 'whose newest is invalid', number: true, cell: (f) => f.invalid },
      { title: '', cell: late },
    ],
    freshOf(now),
  );
}

function canary(now: Now): HTMLElement | null {
  const own = now.standing.filter((s) => s.metric === 'speed');
  if (!own.length) return null;
  const levels = own.map((s) => s.level).filter((v) => v !== null);
  const spread = levels.length ? (Math.max(...levels) / Math.min(...levels) - 1) * 100 : 0;
  return h(
    'p',
    {},
    `The machine’s speed, by a fixed piece of work beside each run: levels ${spread.toFixed(1)} % apart. `,
    h('a', { href: link('trend', { metric: 'speed' }) }, 'Its history'),
  );
}

export function noise(now: Now, calibration: Calibration): HTMLElement {
  const rows = Object.entries(calibration.floors).sort(
    ([, a], [, b]) => (a.smallest[PAIRS] ?? 9) - (b.smallest[PAIRS] ?? 9),
  );
  const percent = (v: number | null | undefined) =>
    v === null || v === undefined ? NONE : `${(v * 100).toFixed(1)} %`;
  return table<[string, Floor]>(
    `Noise of ${cellWords(calibration.cell)}, ${calibration.pairs} pairs in ${calibration.forks} forks, ${calibration.measured}, on ${calibration.machine.cpu_model}`,
    [
      { title: 'Metric', cell: ([m]) => now.metrics[m]?.title ?? m },
      {
        title: 'Used for',
        cell: ([, f]) => ({ gate: 'verdicts', watch: 'a look', chart: 'charts' })[f.tier],
      },
      { title: 'Run to run', number: true, cell: ([, f]) => percent(f.run_to_run) },
      { title: 'Pair to pair', number: true, cell: ([, f]) => percent(f.pair_to_pair) },
      {
        title: `Minimum detectable effect, ${PAIRS} pairs`,
        number: true,
        cell: ([, f]) => percent(f.smallest[PAIRS]),
      },
    ],
    rows,
  );
}

/** How often what tells of shifted levels is wrong, and how much it sees. */
function detector(now: Now): Child[] {
  const own = now.detector;
  if (!own)
    return [h('p', { class: 'quiet' }, 'How often the detector errs isn’t in this history.')];
  return [
    table<Step>(
      `Power of the change-point detector, on public series with steps put into them (${own.measured})`,
      [
        { title: 'Step', cell: (s) => `${(s.share * 100).toFixed(0)} %` },
        {
          title: 'Reported within 30 points',
          number: true,
          cell: (s) => `${(s.found * 100).toFixed(0)} %`,
        },
        { title: 'Points until reported, median', number: true, cell: (s) => s.delay ?? NONE },
      ],
      own.steps,
    ),
    h(
      'p',
      {},
      `False positives for the worse: ${own.false_alarms.toFixed(1)} in 1,000 points where nothing was changed; ` +
        `${own.on_rulers.toFixed(1)} on benchmarks whose code never changes.`,
    ),
  ];
}
