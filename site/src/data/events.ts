// What happened to levels, as an inbox has it: a regression that opened, and each step by which it grew, sorted by the
// commit that did it and by the app and kind of metric that it did it to.

import { wordsOf } from '../catalog.ts';
import type { Moment, Now, PublishedFinding, Standing } from '../generated/published.ts';

export interface Event {
  kind: 'opened' | 'grew' | 'drifted';
  state: PublishedFinding['state'];
  standing: Standing;
  finding: PublishedFinding;
  before: Moment;
  since: Moment;
  from: number; // the level before
  to: number;
  loss: number; // by which share it is worse: throughput that halves and latency that doubles are both 1
}

export interface Entry {
  key: string;
  commit: string; // the first that was measured at the new level; empty where no commit is known
  before: string; // the last at the old one
  time: number;
  app: string;
  group: string; // of metrics
  events: Event[]; // the largest loss first
  author: string;
  subject: string;
}

export interface Filter {
  app?: string | null;
  group?: string | null;
  state?: string | null;
  owner?: string | null;
}

const OPEN = new Set(['open', 'suspected']);

export function isOpen(finding: PublishedFinding): boolean {
  return finding.kind !== 'improvement' && OPEN.has(finding.state);
}

export function openEvents(now: Now): Event[] {
  return now.standing.flatMap((standing) =>
    standing.findings.filter(isOpen).flatMap((finding) => eventsOf(standing, finding)),
  );
}

/** Its opening, then the steps by which it grew. */
export function eventsOf(standing: Standing, finding: PublishedFinding): Event[] {
  const { better } = standing;
  const growth = finding.growth ?? [];
  const first = growth[0]?.reference ?? finding.level;
  return [
    {
      kind: finding.kind === 'drift' ? 'drifted' : 'opened',
      state: finding.state,
      standing,
      finding,
      before: finding.before,
      since: finding.since,
      from: finding.reference,
      to: first,
      loss: lossOf(finding.reference, first, better),
    },
    ...growth.map(
      (step): Event => ({
        kind: 'grew',
        state: finding.state,
        standing,
        finding,
        before: step.before,
        since: step.since,
        from: step.reference,
        to: step.level,
        loss: lossOf(step.reference, step.level, better),
      }),
    ),
  ];
}

export function lossOf(from: number, to: number, better: 'smaller' | 'bigger'): number {
  if (!from || !to) return from === to ? 0 : Number.POSITIVE_INFINITY;
  return better === 'smaller' ? to / from - 1 : from / to - 1;
}

/** Newest first. */
export function inbox(now: Now): Entry[] {
  const found = new Map<string, Entry>();
  for (const event of openEvents(now)) {
    const { standing, since } = event;
    const app = appOf(now, standing.series);
    const group = groupOf(now, standing.metric);
    const key = [since.commit || since.time, app, group].join('\n');
    const words = now.commits?.[since.commit];
    const entry = found.get(key) ?? {
      key,
      commit: since.commit,
      before: event.before.commit,
      time: since.time,
      app,
      group,
      events: [],
      author: words?.author ?? '',
      subject: words?.subject ?? '',
    };
    entry.time = Math.max(entry.time, since.time);
    entry.events.push(event);
    found.set(key, entry);
  }
  for (const entry of found.values()) entry.events.sort((a, b) => b.loss - a.loss);
  return [...found.values()].sort(
    (a, b) =>
      b.time - a.time ||
      (b.events[0]?.loss ?? 0) - (a.events[0]?.loss ?? 0) ||
      (a.key < b.key ? -1 : 1),
  );
}

export function matching(entries: readonly Entry[], filter: Filter): Entry[] {
  return entries.filter(
    (e) =>
      (!filter.app || e.app === filter.app) &&
      (!filter.group || e.group === filter.group) &&
      (!filter.owner || e.author === filter.owner) &&
      (!filter.state || e.events.some((event) => event.state === filter.state)),
  );
}

/** System and app of a series; of another tool's, what it is called up to its first mark. */
export function appOf(now: Pick<Now, 'cells' | 'variants'>, series: string): string {
  const cell = now.cells[series];
  if (!cell) return series.split(/[+#(\s]/)[0] || series;
  const words = wordsOf(now, cell);
  const app = words
    ? cell.variant.replace(new RegExp(`-${escaped(words.launch)}$`), '')
    : cell.variant;
  return words ? `${words.system}/${app}` : app;
}

export function groupOf(now: Pick<Now, 'metrics'>, metric: string): string {
  return now.metrics[metric]?.group || 'other';
}

const escaped = (text: string) => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** What accepts the level of a finding; in quotes for a shell. */
export function acceptCommand({ standing }: Event): string {
  return `./telar accept ${quoted(standing.series)} ${quoted(standing.metric)} --reason WHY`;
}

const quoted = (text: string) =>
  /^[A-Za-z0-9_./:@%^-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
