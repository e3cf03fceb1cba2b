// Shards put together: one series over months, its columns as long as its points.

import type { Shard } from '../generated/published.ts';

export interface Series {
  name: string;
  time: number[]; // seconds since 1970, ascending
  value: number[];
  low: (number | null)[];
  high: (number | null)[];
  runs: number[];
  validity: string; // a letter a point: v, l, i
  session: string[];
  commit: string[];
  environment: string[];
}

export function empty(name: string): Series {
  return {
    name, time: [], value: [], low: [], high: [], runs: [],
    validity: '', session: [], commit: [], environment: [],
  }; // biome-ignore format: as columns
}

/** Of shards in the order of their months. Points that name what the shard doesn't have are left out. */
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
      found.validity += own.validity[n] ?? 'i';
      found.session.push(String(origin[0]));
      found.commit.push(String(origin[1]));
      found.environment.push(shard.environments[own.environment[n] ?? -1] ?? '');
    }
  }
  return found;
}

/** The months that a view shows, newest last. */
export function within(months: readonly string[], from: string, to: string): string[] {
  return months.filter((month) => (!from || month >= from) && (!to || month <= to));
}
