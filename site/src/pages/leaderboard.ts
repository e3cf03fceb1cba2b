// Which is fastest: everything that one session measured under one workload, ranked; several can share a rank.

import { variantOf } from '../catalog.ts';
import { dot, scaleOf } from '../charts/dots.ts';
import { middle, ranks } from '../data/interval.ts';
import type { Measured, OfSession, Recent } from '../data/session.ts';
import { h, table } from '../dom.ts';
import { many, moment, value } from '../format.ts';
import type { Now } from '../generated/published.ts';
import { link } from '../state.ts';

export interface Ranked {
  own: Measured;
  rank: number | null; // null where single runs let nothing be ranked
}

/** Those of a session that may be compared with each other: the largest such part of it. */
export function comparable(
  recent: Recent,
  session: OfSession,
  workload: string,
  jdk?: string,
): Measured[] {
  const all = [...session.measured.values()].filter(
    (m) => m.cell.workload === workload && (jdk === undefined || m.cell.jdk === jdk),
  );
  let best: Measured[] = [];
  for (const base of all) {
    if (best.includes(base)) continue;
    const beside = recent.beside(base, all);
    if (beside.length > best.length) best = beside;
  }
  return best;
}

/** Sessions with something to rank, newest first. */
export function rankable(recent: Recent, workload: string, jdk?: string): OfSession[] {
  return recent.sessions.filter((s) => comparable(recent, s, workload, jdk).length > 1);
}

export function ranked(own: readonly Measured[]): Ranked[] {
  const better = own[0]?.better ?? 'smaller';
  const sorted = [...own].sort((a, b) => {
    const [x, y] = [middle(a).at, middle(b).at];
    return better === 'smaller' ? x - y : y - x;
  });
  const places = ranks(sorted, better);
  const several = sorted.some((m) => middle(m).low !== null);
  return sorted
    .map((each, n) => ({
      own: each,
      rank: several && middle(each).low !== null ? (places[n] ?? null) : null,
    }))
    .sort((a, b) => (a.rank ?? own.length) - (b.rank ?? own.length)); // of one rank, the better mean first
}

export function leaderboard(
  now: Now,
  recent: Recent,
  metric: string,
  session: OfSession,
  own: readonly Measured[],
): HTMLElement {
  const rows = ranked(own);
  const scale = scaleOf(
    rows.map((r) => middle(r.own)),
    null,
  );
  const words = now.metrics[metric];
  const first = own[0];
  const jdks = new Set(own.map((m) => m.cell.jdk));
  const counts = rows.map((r) => r.rank);
  const name = ({ cell }: Measured) =>
    jdks.size > 1 ? `${variantOf(cell)}, JDK ${cell.jdk}` : variantOf(cell);
  return h(
    'div',
    {},
    h(
      'p',
      { class: 'quiet' },
      first
        ? `${many(own.length, 'series', 'series')} of one session, ${moment(session.time)}, on ${recent.machine(first)}. `
        : '',
      counts.every((r) => r === null)
        ? 'Each was run once, so there is no interval and no rank: the order is that of single numbers.'
        : 'A rank is 1 + the number that are clearly better; several can share one. Each 95 % interval stands by itself: of twenty pairs that don’t differ, one will seem to.',
    ),
    table<Ranked>(
      `${words?.title ?? metric}, best first`,
      [
        { title: 'Rank', number: true, cell: (r) => r.rank ?? '–' },
        {
          title: 'Variant',
          cell: (r) =>
            h('a', { href: link('trend', { metric, series: r.own.series }) }, name(r.own)),
        },
        {
          title: 'Mean and 95 % interval',
          cell: (r) =>
            dot(
              middle(r.own),
              scale,
              r.rank === 1 ? 'first' : 'other',
              value(words, middle(r.own).at),
            ),
        },
        {
          title: words?.label ?? metric,
          number: true,
          cell: (r) => value(words, middle(r.own).at),
        },
        {
          title: 'Interval',
          number: true,
          cell: (r) => {
            const { low, high } = middle(r.own);
            return low === null || high === null
              ? ''
              : `${value(words, low)} to ${value(words, high)}`;
          },
        },
        { title: 'Runs', number: true, cell: (r) => r.own.runs },
        {
          title: '',
          cell: (r) => (r.own.valid ? '' : h('span', { class: 'badge suspected' }, 'limited')),
        },
      ],
      rows,
    ),
  );
}
