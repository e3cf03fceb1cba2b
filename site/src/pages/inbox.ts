// What is open, as an inbox: by commit and kind of metric, newest first, ten to a page.

import { cellWords, title } from '../catalog.ts';
import { command, facet } from '../controls.ts';
import {
  acceptCommand,
  type Entry,
  type Event,
  inbox as entriesOf,
  matching,
} from '../data/events.ts';
import { h, table } from '../dom.ts';
import { ago, change, many, moment, value } from '../format.ts';
import type { Now } from '../generated/published.ts';
import { commitLink, rangeLink } from '../links.ts';
import { changed, link } from '../state.ts';
import type { Context, View } from './page.ts';

const PAGE = 10;
const NAMED = 3; // metrics in an entry's line

export async function inbox({ store, state, now: today }: Context): Promise<View> {
  const now = await store.now();
  const all = entriesOf(now);
  const filter = {
    app: state.params.get('app'),
    group: state.params.get('group'),
    state: state.params.get('state'),
    owner: state.params.get('owner'),
  };
  const own = matching(all, filter);
  const pages = Math.max(1, Math.ceil(own.length / PAGE));
  const page = Math.min(pages, Math.max(1, Math.trunc(Number(state.params.get('page') ?? 1)) || 1));
  const shown = own.slice((page - 1) * PAGE, page * PAGE);
  const findings = new Set(all.flatMap((e) => e.events.map((event) => event.finding))).size;
  const to = (n: number, words: string) =>
    n < 1 || n > pages
      ? null
      : h('a', { href: changed(state, { page: n === 1 ? undefined : String(n) }) }, words);
  const element = h(
    'div',
    {},
    h('h1', {}, 'Regressions'),
    h(
      'p',
      { class: 'lead' },
      all.length
        ? `${many(findings, 'series is', 'series are')} worse than the accepted level, in ${many(all.length, 'group')} by commit, app and kind of metric. A regression that grows is listed again, under the commit with which it grew.`
        : '✓ No regression is open.',
    ),
    h(
      'div',
      { class: 'controls' },
      facet(
        'app',
        'App',
        all.map((e) => e.app),
        filter.app,
      ),
      facet(
        'group',
        'Metrics',
        all.map((e) => e.group),
        filter.group,
      ),
      facet(
        'state',
        'State',
        all.flatMap((e) => e.events.map((event) => event.state)),
        filter.state,
      ),
      facet(
        'owner',
        'Author',
        all.map((e) => e.author),
        filter.owner,
      ),
    ),
    h(
      'ul',
      { class: 'entries' },
      ...shown.map((entry) =>
        h('li', {}, h('div', {}, ...line(now, entry, today)), details(now, entry)),
      ),
    ),
    all.length > 0 && own.length === 0 ? h('p', {}, 'None of them fits these filters.') : null,
    own.length > PAGE
      ? h(
          'nav',
          { class: 'controls', 'aria-label': 'Pages of regressions' },
          to(page - 1, '← Newer'),
          ` ${(page - 1) * PAGE + 1} to ${(page - 1) * PAGE + shown.length} of ${own.length} `,
          to(page + 1, 'Older →'),
        )
      : null,
    h(
      'p',
      {},
      h('a', { href: link('matrix', {}) }, 'All series as a table'),
      store.feed ? ' · ' : null,
      store.feed ? h('a', { href: store.feed }, 'Feed (Atom)') : null,
    ),
  );
  return { title: 'Regressions', element };
}

/** An entry in one line, for a list elsewhere. */
export function entryLine(now: Now, entry: Entry): HTMLElement {
  return h('li', {}, ...line(now, entry, null));
}

function line(now: Now, entry: Entry, today: number | null): (Node | string)[] {
  const { events } = entry;
  const kinds = [...new Set(events.map((e) => e.kind))];
  const state = events.some((e) => e.state === 'open') ? 'open' : 'suspected';
  const series = [...new Set(events.map((e) => e.standing.series))];
  const metrics = [...new Set(events.map((e) => e.standing.metric))];
  const worst = metrics.slice(0, NAMED).map((metric) => {
    const event = events.find((e) => e.standing.metric === metric) as Event;
    return `${now.metrics[metric]?.label ?? metric} ${change(event.from, event.to)}`;
  });
  const more = metrics.length > NAMED ? `, ${metrics.length - NAMED} more` : '';
  const first = events[0] as Event;
  const range = rangeLink(now, entry.before, entry.commit, 'changes since the last good one');
  return [
    h(
      'span',
      { class: `badge ${state}` },
      `${state === 'open' ? '▲' : '△'} ${state}${kinds.includes('grew') ? ', grew' : ''}`,
    ),
    ' ',
    h('strong', {}, entry.app),
    ` · ${entry.group}: `,
    h(
      'a',
      {
        href: link('trend', {
          metric: first.standing.metric,
          series: series.slice(0, 12),
          range: 'all',
        }),
      },
      `${worst.join(', ')}${more}`,
    ),
    ` in ${many(series.length, 'series', 'series')}`,
    h(
      'span',
      { class: 'quiet line' },
      today === null
        ? `${moment(entry.time)}, `
        : `${moment(entry.time)} (${ago(entry.time, today)}), `,
      commitLink(now, entry.commit) as Node | string,
      entry.subject ? ` ${entry.subject}` : '',
      entry.author ? `, by ${entry.author}` : ', author not known',
      range ? ' · ' : '',
      range,
    ),
  ];
}

function details(now: Now, entry: Entry): HTMLElement {
  const holder = h('details', {}, h('summary', {}, 'Each series, and how to accept it'));
  holder.addEventListener('toggle', () => holder.append(eventTable(now, entry)), { once: true });
  return holder;
}

function eventTable(now: Now, entry: Entry): HTMLElement {
  const metric = (e: Event) => now.metrics[e.standing.metric];
  return table<Event>(
    `${entry.app}, ${entry.group}`,
    [
      {
        title: 'Series',
        long: true,
        cell: ({ standing }) => {
          const cell = now.cells[standing.series];
          return h(
            'a',
            {
              href: link('trend', {
                metric: standing.metric,
                series: standing.series,
                range: 'all',
              }),
            },
            cell ? cellWords(cell) : standing.series,
          );
        },
      },
      { title: 'Metric', cell: (e) => title(now, e.standing.metric) },
      {
        title: 'Level',
        number: true,
        cell: (e) => `${value(metric(e), e.from)} → ${value(metric(e), e.to)}`,
      },
      { title: 'Change', number: true, cell: (e) => change(e.from, e.to) },
      {
        title: 'In all',
        number: true,
        cell: ({ finding }) => change(finding.reference, finding.level),
      },
      { title: 'Accept', long: true, cell: (e) => command(acceptCommand(e)) },
    ],
    entry.events,
  );
}
