// What the parts of a session's page share.

import type { RecordOf } from '../data/record.ts';
import { type Child, h } from '../dom.ts';
import type { ReportGroup } from '../generated/published.ts';

export interface Run {
  file: string;
  title: string; // what tells it from the others of its cell
  href: string;
  record: RecordOf;
}

/** Which of the series' colours a launch has. */
export function colorOf(launch: string): number {
  if (launch.startsWith('platform')) return 0;
  return launch.startsWith('virtual') ? 1 : 2;
}

/** The mark of a launch: its colour in every chart. */
export function key(launch: string): HTMLElement {
  return h(
    'svg',
    { class: 'key', viewBox: '0 0 10 10', 'aria-hidden': 'true' },
    h('circle', { class: `series-${colorOf(launch)}`, cx: 5, cy: 5, r: 4 }),
  );
}

export function groupHead({ app, where }: ReportGroup, width: number): HTMLElement {
  return h(
    'tr',
    { class: 'group' },
    h('th', { scope: 'rowgroup', colspan: width }, `${app} `, h('small', {}, where)),
  );
}

export function scroll(label: string, ...inside: Child[]): HTMLElement {
  return h('div', { class: 'scroll', role: 'region', 'aria-label': label, tabindex: 0 }, ...inside);
}
