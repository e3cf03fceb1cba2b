// JDK × driver of each variant: every lane against the oldest, as a map of colours with the numbers in it.

import { type Child, h } from '../dom.ts';
import { change, value } from '../format.ts';
import type { Cell, Now, Standing } from '../generated/published.ts';
import { go, link } from '../state.ts';
import { byOrder, preferred } from './overview.ts';
import type { Context, View } from './page.ts';

const STRONG = 0.2; // a change of so much has the full colour

export interface Lane {
  standing: Standing;
  cell: Cell;
}

export interface Group {
  title: string;
  jdks: string[];
  drivers: string[]; // as words
  lanes: Map<string, Lane>; // jdk and driver -> lane
  base: Lane;
}

export async function lanes({ store, state }: Context): Promise<View> {
  const now = await store.now();
  const metrics = [...new Set(now.standing.map((s) => s.metric))].sort(byOrder(now));
  const metric = state.params.get('metric') ?? preferred(metrics);
  const groups = groupsOf(now, metric);
  const element = h(
    'div',
    {},
    h('h1', {}, 'JDKs and drivers'),
    h(
      'p',
      { class: 'lead' },
      'Each lane against the one with the oldest JDK and driver of its variant. In brackets, between what the lowest ' +
        'and highest of the last runs of both would say: a change beyond zero on both sides is one that no run contradicts.',
    ),
    h(
      'p',
      { class: 'controls' },
      h(
        'label',
        {},
        'Metric ',
        h(
          'select',
          {
            change: (e) => {
              go({ metric: (e.target as HTMLSelectElement).value });
            },
          },
          ...metrics.map((m) =>
            h('option', { value: m, selected: m === metric }, now.metrics[m]?.title ?? m),
          ),
        ),
      ),
    ),
    ...groups.map((group) => map(now, metric, group)),
    groups.length === 0 &&
      h('p', { class: 'quiet' }, 'No variant was measured on more than one JDK or driver yet.'),
  );
  return { title: 'Lanes', element };
}

const driverWords = (cell: Cell) =>
  Object.entries(cell.drivers)
    .map(([name, version]) => `${name} ${version}`)
    .join(', ');

const older = new Intl.Collator('en', { numeric: true }).compare;

/** Variants and workloads that more than one lane was measured of. */
export function groupsOf(now: Now, metric: string): Group[] {
  const found = new Map<string, Lane[]>();
  for (const standing of now.standing) {
    const cell = now.cells[standing.series];
    if (!cell || standing.metric !== metric) continue;
    const key = [cell.variant, cell.workload, cell.engine, cell.runner].join(' · ');
    found.set(key, [...(found.get(key) ?? []), { standing, cell }]);
  }
  return [...found]
    .filter(([, own]) => own.length > 1)
    .map(([title, own]) => {
      const jdks = [...new Set(own.map((l) => l.cell.jdk))].sort(older);
      const drivers = [...new Set(own.map((l) => driverWords(l.cell)))].sort(older);
      const by = new Map(own.map((l) => [key(l.cell.jdk, driverWords(l.cell)), l]));
      const first = drivers
        .flatMap((d) => jdks.map((j) => by.get(key(j, d))))
        .find((l) => l) as Lane;
      return { title, jdks, drivers, lanes: by, base: first };
    })
    .sort((a, b) => a.title.localeCompare(b.title));
}

const key = (jdk: string, driver: string) => `${jdk}\n${driver}`;

function map(now: Now, metric: string, group: Group): HTMLElement {
  return h(
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
        ...group.drivers.map((d) =>
          h(
            'tr',
            {},
            h('th', { scope: 'row' }, d),
            ...group.jdks.map((j) => lane(now, metric, group, group.lanes.get(key(j, d)))),
          ),
        ),
      ),
    ),
  );
}

function lane(now: Now, metric: string, group: Group, own: Lane | undefined): HTMLElement {
  if (!own) return h('td', { class: 'number quiet' }, 'not measured');
  const { level } = own.standing;
  const base = group.base.standing.level;
  const said: Child = own === group.base ? 'base' : change(base, level);
  return h(
    'td',
    { class: `number ${shade(own.standing, base)}` },
    h(
      'a',
      {
        href: link('trend', { metric, series: [group.base.standing.series, own.standing.series] }),
      },
      value(now.metrics[metric], level),
    ),
    ' ',
    h('span', {}, said),
    own === group.base ? null : h('small', {}, between(group.base.standing, own.standing)),
  );
}

/** The change as the runs furthest apart, and those nearest, would say it. */
export function between(base: Standing, own: Standing): string {
  const [low, high] = [own.low, own.high];
  if (!base.low || !base.high || low == null || high == null) return '';
  if (base.low === base.high && low === high) return ' (single runs)';
  return ` (${change(base.high, low)} … ${change(base.low, high)})`;
}

/** A class: better or worse in three strengths, or none. */
export function shade(standing: Standing, base: number | null): string {
  if (!base || standing.level === null) return '';
  const ratio = standing.better === 'smaller' ? standing.level / base : base / standing.level;
  const strength = Math.min(3, Math.round((Math.abs(ratio - 1) / STRONG) * 3));
  return strength ? `${ratio > 1 ? 'worse' : 'better'}-${strength}` : '';
}
