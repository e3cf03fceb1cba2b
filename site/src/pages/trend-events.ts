// What happened to the series of a trend: levels that shifted, each step of a regression, and surroundings that changed.

import { type Event, eventsOf, isOpen } from '../data/events.ts';
import type { Series } from '../data/series.ts';
import { type Child, h, table } from '../dom.ts';
import { change, many, moment, value } from '../format.ts';
import type { CommitWords, Now, Sessions, Standing } from '../generated/published.ts';
import { commitWords, rangeLink } from '../links.ts';

const NEWEST = 20; // shifts that are shown at once

type Row = Sessions['sessions'][number];

/** Newest first: improvements, and regressions with each step by which they grew. */
export function changes(
  now: Now,
  metric: string,
  chosen: readonly Standing[],
  title: (standing: Standing) => string,
  commits: ReadonlyMap<string, CommitWords>,
): HTMLElement {
  const found = chosen
    .flatMap((standing) => standing.findings.flatMap((finding) => eventsOf(standing, finding)))
    .sort((a, b) => b.since.time - a.since.time);
  const few = chosen.filter((s) => s.values.length < 2);
  if (!found.length) {
    const fresh = few.length
      ? ` ${many(few.length, 'of them is', 'of them are')} new: one point has nothing to be compared with.`
      : '';
    return h('p', { class: 'quiet' }, `No level of these series has shifted.${fresh}`);
  }
  const words = now.metrics[metric];
  const what = (e: Event): Child => {
    const kind = e.kind === 'grew' ? 'grew' : e.finding.kind;
    const mark = e.finding.kind === 'improvement' ? '▼' : '▲';
    return h('span', { class: `badge ${e.state}` }, `${mark} ${e.state}, ${kind}`);
  };
  const commit = (e: Event): Child =>
    h(
      'span',
      {},
      ...commitWords(now, e.since.commit, commits.get(e.since.commit)),
      ' ',
      isOpen(e.finding)
        ? rangeLink(now, e.before.commit, e.since.commit, 'since the last good one')
        : null,
    );
  const shifts = (caption: string, events: readonly Event[]) =>
    table<Event>(
      caption,
      [
        { title: 'State', cell: what },
        { title: 'Series', long: true, cell: (e) => title(e.standing) },
        {
          title: 'Level',
          number: true,
          cell: (e) => `${value(words, e.from)} → ${value(words, e.to)}`,
        },
        { title: 'Change', number: true, cell: (e) => change(e.from, e.to) },
        { title: 'Since', short: true, cell: (e) => moment(e.since.time) },
        { title: 'Commit', long: true, cell: commit },
        {
          title: 'Sure with',
          short: true,
          cell: (e) => (e.kind === 'grew' ? '' : moment(e.finding.decided.time)),
        },
        { title: 'Reason', cell: (e) => e.finding.reason },
      ],
      events,
    );
  const older = found.slice(NEWEST);
  return h(
    'div',
    {},
    shifts('What shifted, newest first', found.slice(0, NEWEST)),
    older.length
      ? folded('older', `${many(older.length, 'older shift')}`, () => shifts('Older shifts', older))
      : null,
  );
}

/** What is made when it is folded out. */
function folded(id: string, words: string, make: () => HTMLElement): HTMLElement {
  const details = h('details', {}, h('summary', { id }, words));
  details.addEventListener('toggle', () => details.append(make()), { once: true });
  return details;
}

interface Move {
  time: number;
  series: string;
  what: string;
}

/** Where the surroundings of a series changed, and in what: other levels there are no commit's doing. */
export function moves(
  shown: readonly { title: string; series: Series }[],
  rows: readonly Row[],
): Move[] {
  const words = new Map(rows.flatMap((row) => Object.entries(row.environments)));
  const found: Move[] = [];
  for (const { title: name, series } of shown) {
    for (let n = 1; n < series.time.length; n++) {
      const [before, after] = [series.environment[n - 1] ?? '', series.environment[n] ?? ''];
      if (before === after) continue;
      const [from, to] = [words.get(before) ?? {}, words.get(after) ?? {}];
      const keys = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter(
        (k) => from[k] !== to[k],
      );
      const what = keys
        .map((k) => `${k}: ${from[k] ?? 'unknown'} → ${to[k] ?? 'unknown'}`)
        .join('; ');
      found.push({ time: series.time[n] ?? 0, series: name, what: what || 'not known' });
    }
  }
  return found.sort((a, b) => b.time - a.time);
}

export function surroundings(
  shown: readonly { title: string; series: Series }[],
  rows: readonly Row[],
): HTMLElement | null {
  const found = moves(shown, rows);
  if (!found.length) return null;
  return folded(
    'surroundings',
    `The surroundings changed ${many(found.length, 'time')}: no level is compared across that`,
    () =>
      table<Move>(
        'Changes of the surroundings',
        [
          { title: 'Since', short: true, cell: (m) => moment(m.time) },
          { title: 'Series', long: true, cell: (m) => m.series },
          { title: 'What', long: true, cell: (m) => m.what },
        ],
        found,
      ),
  );
}
