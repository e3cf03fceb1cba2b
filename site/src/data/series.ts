// Shards put together: one series over months, its columns as long as its points.

import type { Shard } from '../generated/published.ts';

export interface Series {
  name: string;
  time: number[]; // seconds since 1970, ascending
  value: number[];
  low: (number | null)[];
  high: (number | null)[];
  runs: number[];
  mean: (number | null)[]; // geometric, of several runs
  spread: (number | null)[]; // of their natural logarithms
  validity: string; // a letter a point: v, l, i
  session: string[];
  commit: string[];
  environment: string[];
}

export function empty(name: string): Series {
  return {
    name, time: [], value: [], low: [], high: [], runs: [], mean: [], spread: [],
    validity: '', session: [], commit: [], environment: [],
  }; // biome-ignore format: as columns
}

/** Of shards in the order of time. Points that name what the shard doesn't have are left out. */
export function join(name: string, shards: readonly (Shard | null)[]): Series {
  const found = empty(name);
  for (const shard of shards) {
    const own = shard && Object.hasOwn(shard.series, name) ? shard.series[name] : undefined;
    if (!shard || !own) continue;
    for (const [n, time] of own.time.entries()) {
      const origin = shard.origins[own.origin[n] ?? -1];
      const value = own.value[n];
      if (!origin || value === undefined) continue;
      found.time.push(time);
      found.value.push(value);
      found.low.push(own.low[n] ?? null);
      found.high.push(own.high[n] ?? null);
      found.runs.push(own.runs[n] ?? 1);
      found.mean.push(own.mean?.[n] ?? null);
      found.spread.push(own.spread?.[n] ?? null);
      found.validity += own.validity[n] ?? 'i';
      found.session.push(String(origin[0]));
      found.commit.push(String(origin[1]));
      found.environment.push(shard.environments[own.environment[n] ?? -1] ?? '');
    }
  }
  return found;
}

/** Without the points for which `keep` says no. */
export function filtered(own: Series, keep: (point: number) => boolean): Series {
  const at = own.time.map((_, n) => n).filter(keep);
  if (at.length === own.time.length) return own;
  const pick = <T>(column: readonly T[]) => at.map((n) => column[n] as T);
  return {
    name: own.name, time: pick(own.time), value: pick(own.value), low: pick(own.low), high: pick(own.high),
    runs: pick(own.runs), mean: pick(own.mean), spread: pick(own.spread),
    validity: at.map((n) => own.validity[n]).join(''),
    session: pick(own.session), commit: pick(own.commit), environment: pick(own.environment),
  }; // biome-ignore format: as columns
}

/** The months that a view shows, newest last. */
export function within(months: readonly string[], from: string, to: string): string[] {
  return months.filter((month) => (!from || month >= from) && (!to || month <= to));
}
