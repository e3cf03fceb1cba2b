// What sessions measured of a metric, so that only what was measured together is compared: in one session, in
// surroundings that differ in nothing but what is under test.

import { variantOf, wordsOf } from '../catalog.ts';
import type { Cell, Now, Shard } from '../generated/published.ts';
import type { Sample } from './interval.ts';
import { DataError, type Store } from './store.ts';

type Words = Record<string, string>;

export interface Measured extends Sample {
  series: string;
  cell: Cell;
  better: 'smaller' | 'bigger';
  session: string;
  time: number;
  commit: string;
  environment: string;
  low: number | null; // of its runs
  high: number | null;
  valid: boolean;
}

export interface OfSession {
  id: string;
  time: number;
  measured: Map<string, Measured>; // by series; invalid ones aren't in it
}

export interface Difference {
  what: string;
  from: string;
  to: string;
}

/** The newest sessions that measured a metric, newest first, and what their surroundings are. */
export class Recent {
  readonly sessions: readonly OfSession[];
  readonly missing: readonly string[]; // what couldn't be loaded
  readonly #environments: Map<string, Words>;
  readonly #now: Now;

  constructor(
    now: Now,
    sessions: readonly OfSession[],
    environments: Map<string, Words>,
    missing: readonly string[] = [],
  ) {
    this.#now = now;
    this.sessions = sessions;
    this.#environments = environments;
    this.missing = missing;
  }

  /** Two series as each session measured them that measured both, newest first. */
  pairs(one: string, other: string): [Measured, Measured][] {
    return this.sessions.flatMap(({ measured }): [Measured, Measured][] => {
      const [a, b] = [measured.get(one), measured.get(other)];
      return a && b ? [[a, b]] : [];
    });
  }

  newest(series: string): Measured | undefined {
    return this.sessions.find((s) => s.measured.has(series))?.measured.get(series);
  }

  /** Why two aren't comparable: empty when they are. */
  apart(a: Measured, b: Measured): Difference[] {
    const found = differences(
      this.#now,
      a,
      b,
      this.#environments.get(a.environment),
      this.#environments.get(b.environment),
    );
    if (a.session !== b.session) found.push({ what: 'session', from: a.session, to: b.session });
    return found;
  }

  /** Those of a session that may be compared with one of them, that one first. */
  beside(base: Measured, others: Iterable<Measured>): Measured[] {
    return [...others].filter((other) => other === base || this.apart(base, other).length === 0);
  }

  machine(own: Measured): string {
    return this.#environments.get(own.environment)?.processor ?? 'a machine that isn’t known';
  }
}

const MONTHS = 3; // that are looked through for sessions

export async function recent(store: Store, now: Now, metric: string): Promise<Recent> {
  const index = await store.index();
  const months = Object.keys(index.months)
    .filter((month) => index.months[month]?.points[metric])
    .sort()
    .slice(-MONTHS);
  const missing: string[] = [];
  const environments = new Map<string, Words>();
  const sessions = new Map<string, OfSession>();
  const loaded = await Promise.all(
    months.map(async (month) => {
      try {
        return await Promise.all([store.shard(month, metric), store.sessions(month)]);
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        missing.push(`${month}: ${error.message}`);
        return null;
      }
    }),
  );
  const seen = new Set<Shard>(); // months of an old year share one
  for (const each of loaded) {
    if (!each) continue;
    const [shard, rows] = each;
    for (const row of rows) {
      for (const [digest, words] of Object.entries(row.environments))
        environments.set(digest, words);
    }
    if (!shard || seen.has(shard)) continue;
    seen.add(shard);
    for (const [series, own] of Object.entries(shard.series)) {
      const cell = now.cells[series];
      if (!cell) continue;
      for (const [n, time] of own.time.entries()) {
        const origin = shard.origins[own.origin[n] ?? -1];
        const value = own.value[n];
        if (!origin || value === undefined || own.validity[n] === 'i') continue;
        const id = String(origin[0]);
        const session = sessions.get(id) ?? { id, time, measured: new Map() };
        session.time = Math.max(session.time, time);
        session.measured.set(series, {
          series,
          cell,
          better: shard.better,
          session: id,
          time,
          commit: String(origin[1]),
          environment: shard.environments[own.environment[n] ?? -1] ?? '',
          value,
          low: own.low[n] ?? null,
          high: own.high[n] ?? null,
          runs: own.runs[n] ?? 1,
          mean: own.mean?.[n] ?? null,
          spread: own.spread?.[n] ?? null,
          valid: own.validity[n] === 'v',
        });
        sessions.set(id, session);
      }
    }
  }
  const ordered = [...sessions.values()].sort((a, b) => b.time - a.time);
  return new Recent(now, ordered, environments, missing);
}

/** In what the surroundings of two differ, but for what follows from what is under test. */
export function differences(
  now: Pick<Now, 'variants'>,
  a: Measured,
  b: Measured,
  from: Words | undefined,
  to: Words | undefined,
): Difference[] {
  if (a.environment === b.environment) return [];
  if (!from || !to) {
    const said = (words: Words | undefined) => (words ? 'known' : 'not known');
    return [{ what: 'surroundings', from: said(from), to: said(to) }];
  }
  const meant = new Set(underTest(now, a.cell, b.cell));
  return [...new Set([...Object.keys(from), ...Object.keys(to)])]
    .filter((what) => from[what] !== to[what] && !meant.has(what))
    .map((what) => ({ what, from: from[what] ?? 'not known', to: to[what] ?? 'not known' }));
}

/** The surroundings that two cells differ in on purpose. */
function underTest(now: Pick<Now, 'variants'>, a: Cell, b: Cell): string[] {
  const database = (cell: Cell) => wordsOf(now, cell)?.database ?? cell.variant;
  return [
    ...(a.jdk === b.jdk ? [] : ['JVM']),
    ...(database(a) === database(b) ? [] : ['database', 'database settings']),
  ];
}

/** The command that measures two cells in turns; null where they differ in what it can't vary, or in nothing. */
export function abCommand(base: Cell, head: Cell): string | null {
  if (base.workload !== head.workload || base.engine !== head.engine || base.runner !== head.runner)
    return null;
  const sides: string[] = [];
  const say = (key: string, x: string, y: string) => {
    if (x !== y) sides.push(`--base ${key}=${x} --head ${key}=${y}`);
  };
  say('variant', variantOf(base), variantOf(head));
  say('jdk', base.jdk, head.jdk);
  for (const [name, version] of Object.entries(base.drivers)) {
    const other = head.drivers[name];
    if (other !== undefined) say('driver', `${name}=${version}`, `${name}=${other}`);
  }
  if (!sides.length) return null;
  const only = variantOf(base) === variantOf(head) ? ` --only ${variantOf(base)}` : '';
  return `./telar ab ${sides.join(' ')}${only}`;
}
