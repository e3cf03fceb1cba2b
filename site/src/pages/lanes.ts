// JDK × driver of each variant: the lanes that one session measured, against its oldest; numbers in the colours, and a
// colour only where the interval excludes zero.

import { chosenMetric, counted, driverWords, metricsOf, title, variantOf } from '../catalog.ts';
import { command, select } from '../controls.ts';
import { ratio, type Word, word } from '../data/interval.ts';
import {
  abCommand,
  type Difference,
  type Measured,
  type OfSession,
  type Recent,
  recent,
} from '../data/session.ts';
import { type Child, h } from '../dom.ts';
import { between, day, moment, share, value } from '../format.ts';
import type { Cell, Now } from '../generated/published.ts';
import { link } from '../state.ts';
import type { Context, View } from './page.ts';

const STRONG = 0.2; // a change of so much has the full colour

interface Lane {
  series: string;
  cell: Cell;
}

export interface Group {
  title: string;
  jdks: string[];
  drivers: string[]; // as words
  lanes: Map<string, Lane>; // by JDK and driver
}

export async function lanes({ store, state }: Context): Promise<View> {
  const now = await store.now();
  const metrics = metricsOf(now);
  const metric = chosenMetric(metrics, state.params.get('metric'));
  const own = await recent(store, now, metric);
  const groups = groupsOf(now, metric);
  const element = h(
    'div',
    {},
    h('h1', {}, 'JDKs and drivers'),
    h(
      'p',
      { class: 'lead' },
      'Each lane against the oldest that the same session measured in the same surroundings, with the 95 % confidence ' +
        'interval of the change. A lane has a colour only where its interval excludes zero.',
    ),
    h(
      'p',
      { class: 'controls' },
      select(
        'metric',
        'Metric',
        metrics.map((m) => ({ value: m, words: title(now, m) })),
        metric,
      ),
    ),
    own.missing.length ? h('p', { class: 'bad' }, `Not loaded: ${own.missing.join('; ')}`) : null,
    ...groups.map((group) => map(now, metric, group, own)),
    groups.length === 0 &&
      h('p', { class: 'quiet' }, 'No variant was measured on more than one JDK or driver yet.'),
  );
  return { title: 'Lanes', element };
}

const key = (cell: Cell) => `${cell.jdk}\n${driverWords(cell)}`;

/** Variants and workloads that more than one lane was measured of. */
export function groupsOf(now: Now, metric: string): Group[] {
  const found = new Map<string, Lane[]>();
  for (const { series, metric: own } of now.standing) {
    const cell = now.cells[series];
    if (!cell || own !== metric) continue;
    const name = [variantOf(cell), cell.workload, cell.engine, cell.runner].join(' · ');
    found.set(name, [...(found.get(name) ?? []), { series, cell }]);
  }
  return [...found]
    .filter(([, own]) => own.length > 1)
    .map(([name, own]) => ({
      title: name,
      jdks: [...new Set(own.map((l) => l.cell.jdk))].sort(counted),
      drivers: [...new Set(own.map((l) => driverWords(l.cell)))].sort(counted),
      lanes: new Map(own.map((l) => [key(l.cell), l])),
    }))
    .sort((a, b) => a.title.localeCompare(b.title));
}

export interface Compared {
  session: OfSession | null; // that measured most of the group's lanes together
  base: Measured | null;
  beside: Map<string, Measured>; // by series: those that may be compared with it
}

/** The newest session in which two lanes or more are comparable, and its oldest lane. */
export function comparedIn(recent: Recent, group: Group): Compared {
  for (const session of recent.sessions) {
    const own = [...group.lanes.values()]
      .flatMap((l) => session.measured.get(l.series) ?? [])
      .sort(byAge);
    for (const base of own) {
      const beside = recent.beside(base, own);
      if (beside.length > 1)
        return { session, base, beside: new Map(beside.map((m) => [m.series, m])) };
    }
  }
  return { session: null, base: null, beside: new Map() };
}

const byAge = (a: Measured, b: Measured) =>
  counted(driverWords(a.cell), driverWords(b.cell)) || counted(a.cell.jdk, b.cell.jdk);

function map(now: Now, metric: string, group: Group, recent: Recent): HTMLElement {
  const compared = comparedIn(recent, group);
  const { session, base } = compared;
  const others = [...group.lanes.values()].filter((l) => !compared.beside.has(l.series));
  return h(
    'section',
    {},
    h(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': group.title },
      h(
        'table',
        { class: 'heat' },
        h('caption', {}, group.title),
        h(
          'thead',
          {},
          h(
            'tr',
            {},
            h('th', { scope: 'col' }, 'Driver'),
            ...group.jdks.map((j) => h('th', { scope: 'col', class: 'number' }, `JDK ${j}`)),
          ),
        ),
        h(
          'tbody',
          {},
          ...group.drivers.map((driver) =>
            h(
              'tr',
              {},
              h('th', { scope: 'row' }, driver),
              ...group.jdks.map((jdk) =>
                lane(now, metric, group.lanes.get(`${jdk}\n${driver}`), compared, recent),
              ),
            ),
          ),
        ),
      ),
    ),
    h(
      'p',
      { class: 'quiet' },
      session && base
        ? `Session of ${moment(session.time)}, on ${recent.machine(base)}. ${weight([...compared.beside.values()])}`
        : 'Not comparable: no session of the last months measured two of these lanes in the same surroundings.',
    ),
    answers(compared),
    ...others.map((l) => apart(l, base, group, recent)),
    ...[...compared.beside.values()].map((m) => later(now, metric, m, recent)),
  );
}

/** What would answer where single runs don't: the oldest lane beside the newest, in turns. */
function answers({ base, beside }: Compared): HTMLElement | null {
  const own = [...beside.values()].sort(byAge);
  const last = own.at(-1);
  if (!base || !last || own.some((m) => m.spread !== null)) return null;
  const ab = abCommand(base.cell, last.cell);
  return ab ? h('p', { class: 'apart' }, 'To know: ', command(ab)) : null;
}

/** A newer measurement of a lane, which has no other beside it. */
function later(now: Now, metric: string, own: Measured, recent: Recent): HTMLElement | null {
  const newest = recent.newest(own.series);
  if (!newest || newest.session === own.session) return null;
  const differ = recent.apart(newest, own).filter((d) => d.what !== 'session');
  return h(
    'p',
    { class: 'apart' },
    `JDK ${own.cell.jdk}, ${driverWords(own.cell) || 'no driver'}, in a later session of ${day(newest.time)}: ${value(now.metrics[metric], newest.value)}. Not comparable with the others: ${because(differ)}.`,
  );
}

const because = (differ: readonly Difference[]) =>
  differ.length
    ? differ.map((d) => `${d.what} ${d.from}, not ${d.to}`).join('; ')
    : 'another session, in which nothing else was measured beside it';

function weight(own: readonly Measured[]): string {
  return own.every((m) => m.runs < 2 || m.spread === null)
    ? 'Each lane was run once, so no change has an interval, and none has a colour.'
    : '';
}

function lane(
  now: Now,
  metric: string,
  own: Lane | undefined,
  { base, beside }: Compared,
  recent: Recent,
): HTMLElement {
  if (!own) return h('td', { class: 'number quiet' }, 'not measured');
  const number = (m: Measured | undefined): Child =>
    h(
      'a',
      {
        href: link('trend', {
          metric,
          series: base ? [...new Set([base.series, own.series])] : own.series,
        }),
      },
      value(now.metrics[metric], m?.value),
    );
  const measured = beside.get(own.series);
  if (!measured || !base) {
    const newest = recent.newest(own.series);
    return h(
      'td',
      { class: 'number quiet' },
      number(newest),
      h('small', {}, newest ? ` not comparable, of ${day(newest.time)}` : ' not measured lately'),
    );
  }
  if (measured === base)
    return h('td', { class: 'number' }, number(measured), ' ', h('span', {}, 'base'));
  const found = ratio(base, measured);
  const valid = base.valid && measured.valid;
  const said: Word = valid ? word(found, measured.better) : 'single';
  return h(
    'td',
    { class: `number ${valid ? shade(found?.at ?? null, said) : ''}` },
    number(measured),
    ' ',
    h('span', {}, found ? share(found.at) : '–'),
    h('small', {}, valid ? words(said, between(found)) : ' limited'),
  );
}

function words(said: Word, interval: string): string {
  if (said === 'single') return ' one run a side: no interval';
  return ` (${interval}) ${said === 'alike' ? 'no clear difference' : said}`;
}

/** A class: better or worse in three strengths; none where it isn't sure. */
export function shade(at: number | null, said: Word): string {
  if (at === null || at <= 0 || (said !== 'better' && said !== 'worse')) return '';
  const size = Math.max(at, 1 / at) - 1;
  return `${said}-${Math.min(3, Math.max(1, Math.round((size / STRONG) * 3)))}`;
}

/** Why a lane isn't compared, and the command that would. */
function apart(own: Lane, base: Measured | null, group: Group, recent: Recent): HTMLElement {
  const newest = recent.newest(own.series);
  const against =
    base?.cell ?? [...group.lanes.values()].find((l) => l.series !== own.series)?.cell;
  const differ: Difference[] =
    base && newest ? recent.apart(newest, base).filter((d) => d.what !== 'session') : [];
  const why = because(differ);
  const ab = against ? abCommand(against, own.cell) : null;
  return h(
    'p',
    { class: 'apart' },
    `JDK ${own.cell.jdk}, ${driverWords(own.cell) || 'no driver'}: not comparable, ${why}. `,
    ab ? 'To know: ' : '',
    ab ? command(ab) : null,
  );
}
