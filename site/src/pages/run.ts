// A run's record: whether it is valid and why, its numbers, what it was made with, and how to make it again.

import type uPlot from 'uplot';
import { imageButton } from '../charts/image.ts';
import { boundsOf, mini } from '../charts/mini.ts';
import { seconds } from '../charts/seconds.ts';
import { ink, seriesColor, seriesDash } from '../charts/theme.ts';
import { command } from '../controls.ts';
import { provenance } from '../data/provenance.ts';
import { checked } from '../data/record.ts';
import { DataError } from '../data/store.ts';
import { type Group, phases, rest, secondsOf, three, timeline } from '../data/timeline.ts';
import { type Child, h, table } from '../dom.ts';
import { many, moment, value } from '../format.ts';
import type { Now } from '../generated/published.ts';
import type { Record as RecordOf, Stop } from '../generated/record.ts';
import { commitWords, runsOf } from '../links.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';

type Anything = Record<string, unknown>;

export async function run({ store, state }: Context): Promise<View> {
  const { params } = state;
  const id = params.get('session') ?? '';
  const month = params.get('month') ?? '';
  const [now, sessions] = await Promise.all([store.now(), store.sessions(month)]);
  const session = sessions.find((s) => s.id === id);
  if (!session) throw new DataError(`there is no session ${id} among those of ${month}`);
  const names = Object.keys(session.runs).sort();
  const asked = params.get('series');
  const own = asked === null ? [] : runsOf(now.cells[asked], asked, names);
  if (asked !== null && !own.length)
    throw new DataError(`the session ${id} has no run of ${asked}`);
  const name = params.get('run') ?? own[0] ?? names[0];
  if (name === undefined) throw new DataError(`the session ${id} has no run`);
  const words = (await store.month(month))?.commits?.[session.commit];
  const kept = session.runs[name];
  if (!kept) throw new DataError(`the session ${id} has no run ${name}`);
  const whole = checked(await store.record(month, id, name, kept));
  const record = object(whole);
  const readings = timeline(whole);
  const dropped = kept.compacted;
  const [href, download] = store.address(month, id, name, kept);
  const charts = new Charts(readings, whole, text(record.run_id));
  const element = h(
    'div',
    {},
    h('h1', {}, variantWords(record) || name),
    h('p', { class: 'lead' }, cellWordsOf(record)),
    h('p', { class: 'lead' }, `${session.suite}, ${moment(session.time)}, session ${session.id}`),
    h('p', {}, 'Commit ', ...commitWords(now, session.commit, words)),
    repeats(state.params, own, name, month),
    validity(record),
    whole.stopped ? stopped(whole.stopped) : null,
    picker(now, state.params, names, name),
    numbers(now, record),
    gates(record),
    dropped !== undefined &&
      dropped !== null &&
      h('p', { class: 'quiet' }, `Its readings by the second were dropped on ${moment(dropped)}.`),
    readings.groups.length > 0 && h('h2', {}, 'Second by second'),
    readings.groups.length > 0 &&
      h(
        'p',
        { class: 'hint' },
        'Grey is the measured window. Drag to zoom, double-click to go back.',
      ),
    ...charts.elements,
    others(whole),
    comesFrom(whole),
    h(
      'p',
      {},
      'Again: ',
      command(`./telar replay ${text(record.run_id)}`),
      ' · ',
      h('a', { href, download }, 'the whole record (JSON)'),
    ),
  );
  return {
    title: `Run ${text(record.run_id)}`,
    element,
    shown: () => charts.draw(),
    left: () => charts.destroy(),
  };
}

/** The readings of a run as charts, in sync, each with its table. */
class Charts {
  readonly elements: HTMLElement[];
  private readonly made: uPlot[] = [];
  private readonly holders: HTMLElement[];
  private readonly groups: Group[];
  private readonly at: number[];
  private readonly window: { from: number; to: number } | undefined;
  private readonly resize = () => {
    for (const [n, chart] of this.made.entries()) {
      chart.setSize({ width: this.holders[n]?.clientWidth ?? 0, height: HEIGHT });
    }
  };

  constructor(readings: { seconds: number[]; groups: Group[] }, record: RecordOf, run: string) {
    this.groups = readings.groups;
    this.at = readings.seconds;
    this.window = phases(record).find((p) => p.name === 'window');
    this.holders = this.groups.map((group) =>
      h('div', { class: 'plot', role: 'img', 'aria-label': described(group) }),
    );
    this.elements = this.groups.map((group, n) =>
      h(
        'section',
        {},
        h('h3', {}, `${group.title}, ${group.unit}`),
        this.holders[n],
        h(
          'div',
          { class: 'controls' },
          imageButton(
            `${run}-${group.title.toLowerCase().replaceAll(' ', '-')}`,
            `${group.title}, ${group.unit}`,
            () => this.made[n]?.ctx.canvas,
            () => group.lines.map((line, l) => ({ title: line.title, color: seriesColor(l) })),
          ),
          this.readings(group),
        ),
      ),
    );
  }

  draw(): void {
    for (const [n, group] of this.groups.entries()) {
      const holder = this.holders[n];
      if (!holder) continue;
      this.made.push(
        seconds(holder, group, this.at, {
          width: holder.clientWidth,
          height: HEIGHT,
          sync: 'run',
          color: seriesColor,
          dash: seriesDash,
          ink: ink(),
          window: this.window,
        }),
      );
    }
    addEventListener('resize', this.resize);
  }

  destroy(): void {
    removeEventListener('resize', this.resize);
    for (const chart of this.made.splice(0)) chart.destroy();
  }

  private readings(group: Group): HTMLElement {
    const details = h('details', {}, h('summary', {}, 'as a table'));
    details.addEventListener(
      'toggle',
      () => {
        details.append(
          table<number>(
            group.title,
            [
              { title: 'Second', number: true, cell: (n) => this.at[n] },
              ...group.lines.map((line) => ({
                title: line.title,
                number: true,
                cell: (n: number) => value(undefined, line.values[n]),
              })),
            ],
            this.at.map((_, n) => n),
          ),
        );
      },
      { once: true },
    );
    return details;
  }
}

const HEIGHT = 220;

function described(group: Group): string {
  const parts = group.lines.map((line) => {
    const known = line.values.filter((v) => v !== null);
    const range = [Math.min(...known), Math.max(...known)].map(three);
    return `${line.title} ${range.join(' to ')}`;
  });
  return `${group.title} by the second, ${group.unit}: ${parts.join('; ')}`;
}

function stopped(stop: Stop): HTMLElement {
  return h(
    'section',
    {},
    h('h2', {}, `It ended in the phase ${stop.phase}`),
    h('p', { class: 'bad' }, stop.error),
    stop.hint ? h('p', {}, stop.hint) : null,
    ...Object.entries(stop.logs ?? {}).map(([name, lines]) =>
      h(
        'details',
        {},
        h('summary', {}, `The last lines of ${name}`),
        h('pre', { tabindex: 0 }, lines),
      ),
    ),
  );
}

function validity(record: Anything): HTMLElement {
  const said = text(record.validity) || 'unknown';
  const found = (verdict: string) =>
    list(record.gates)
      .filter((g) => g.verdict === verdict)
      .map((g) => `${text(g.name)}: ${text(g.observed)}`);
  const [failed, warned] = [found('fail'), found('warn')];
  const words = failed.length ? `: ${failed.join('; ')}` : '';
  const warnings = warned.length
    ? `${many(warned.length, 'gate warns', 'gates warn')}: ${warned.join('; ')}`
    : '';
  if (said !== 'valid') {
    return h(
      'p',
      { class: 'bad' },
      `✗ ${said}${words}`,
      warnings ? h('span', { class: 'line' }, `⚠ ${warnings}`) : null,
    );
  }
  return warnings
    ? h('p', { class: 'warn' }, `⚠ valid, but ${warnings}`)
    : h('p', { class: 'good' }, '✓ valid: every gate passed');
}

/** As people name it: with its system, unless that is the default one. */
function variantWords(record: Anything): string {
  const cell = object(record.cell);
  return [text(cell.system), text(cell.variant)].filter(Boolean).join('/');
}

/** What was run: the record's own words, not those of the link that led here. */
function cellWordsOf(record: Anything): string {
  const cell = object(record.cell);
  const drivers = Object.entries(object(cell.drivers)).map(([n, v]) => `${n} ${text(v)}`);
  return [
    text(cell.workload),
    `JDK ${text(cell.jdk)}`,
    ...drivers,
    text(cell.engine),
    text(cell.runner),
  ]
    .filter(Boolean)
    .join(' · ');
}

/** The runs of one point: a repetition each. */
function repeats(
  params: URLSearchParams,
  own: readonly string[],
  chosen: string,
  month: string,
): HTMLElement | null {
  if (own.length < 2) return null;
  const to = (run: string) =>
    link('run', {
      month,
      session: params.get('session') ?? '',
      series: params.get('series') ?? undefined,
      run,
    });
  return h(
    'p',
    {},
    `This point is of ${own.length} runs: `,
    ...own.flatMap((run, n) => [
      n ? ' · ' : '',
      run === chosen
        ? h('strong', {}, `repetition ${n + 1}`)
        : h('a', { href: to(run) }, `repetition ${n + 1}`),
    ]),
  );
}

function picker(now: Now, params: URLSearchParams, names: string[], chosen: string): HTMLElement {
  const to = (name: string) =>
    link('run', {
      session: params.get('session') ?? '',
      month: params.get('month') ?? '',
      run: name,
    });
  return h(
    'details',
    {},
    h('summary', {}, `The session's ${names.length} runs`),
    h(
      'ul',
      {},
      ...names.map((n) =>
        h('li', {}, n === chosen ? h('strong', {}, n) : h('a', { href: to(n) }, n)),
      ),
    ),
    Object.keys(now.variants).length === 0 && h('p', {}, 'no variant is known'),
  );
}

function numbers(now: Now, record: Anything): HTMLElement {
  const rows = Object.entries(object(record.metrics));
  const shown = (metric: string, value_: unknown): Child => {
    const number = object(value_).value;
    return typeof number === 'number' ? value(now.metrics[metric], number) : '–';
  };
  return table<[string, unknown]>(
    'Numbers',
    [
      { title: 'Metric', cell: ([metric]) => now.metrics[metric]?.title ?? metric },
      { title: 'Value', number: true, cell: ([metric, v]) => shown(metric, v) },
    ],
    rows,
  );
}

function gates(record: Anything): HTMLElement {
  return table<Anything>(
    'Gates',
    [
      { title: '', cell: (g) => h('span', { class: `badge ${text(g.verdict)}` }, text(g.verdict)) },
      { title: 'Gate', cell: (g) => text(g.name) },
      { title: 'Observed', cell: (g) => text(g.observed) },
      { title: 'Expected', cell: (g) => text(g.expected) },
      { title: 'What to do', cell: (g) => text(g.advice) },
    ],
    list(record.gates),
  );
}

/** Whatever was read and is in none of the charts, small: what moved, and in words what didn't. */
function others(record: RecordOf): Child {
  const { moved, still } = rest(record);
  if (!moved.length && !still.length) return null;
  const length = secondsOf(record).at(-1) ?? 0;
  const bands = phases(record).filter((p) => p.name === 'window');
  return h(
    'details',
    {},
    h('summary', { id: 'others' }, 'All else that was read'),
    h(
      'div',
      { class: 'minis others' },
      ...moved.map(({ title, unit, values }) => {
        const known = values.filter((v) => v !== null);
        const ends = [Math.min(...known), Math.max(...known)].map(three).join(' – ');
        return h(
          'figure',
          {},
          h('figcaption', {}, title),
          mini({
            label: `${title}: ${ends} ${unit}`,
            lines: [{ style: 'main', values }],
            bands,
            step: record.series?.step ?? 1,
            seconds: length,
            bounds: boundsOf([values]) ?? { low: 0, high: 1 },
          }),
          h('small', {}, `${ends} ${unit}`),
        );
      }),
    ),
    h('p', { class: 'hint' }, `Each on its own scale. Unchanged: ${still.join('; ') || 'none'}.`),
  );
}

function comesFrom(record: RecordOf): HTMLElement {
  return h(
    'details',
    {},
    h('summary', { id: 'provenance' }, 'Where it comes from'),
    h(
      'div',
      { class: 'parts' },
      ...provenance(record).map(({ title, rows, more, listing }) =>
        h(
          'section',
          {},
          h('h3', {}, title),
          h('dl', {}, ...rows.flatMap(([name, said]) => [h('dt', {}, name), h('dd', {}, said)])),
          listing?.length
            ? h(
                'details',
                {},
                h('summary', {}, `${listing.length} ${more}`),
                h('ul', {}, ...listing.map((line) => h('li', {}, line))),
              )
            : null,
        ),
      ),
    ),
  );
}

function object(value_: unknown): Anything {
  return typeof value_ === 'object' && value_ !== null && !Array.isArray(value_)
    ? (value_ as Anything)
    : {};
}

function list(value_: unknown): Anything[] {
  return Array.isArray(value_) ? value_.map(object) : [];
}

function text(value_: unknown): string {
  return typeof value_ === 'string' || typeof value_ === 'number' || typeof value_ === 'boolean'
    ? String(value_)
    : '';
}
