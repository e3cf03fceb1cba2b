// What happened in each second of a run: a record's readings, in the groups and units in which they are shown.

import type { Record as RecordOf } from '../generated/record.ts';

export type Values = (number | null)[];

export interface Line {
  title: string;
  values: Values;
}

export interface Group {
  title: string;
  unit: string;
  log?: boolean;
  lines: Line[];
}

interface Unit {
  unit: string;
  scale?: number;
  counter?: boolean; // shown as what it grew by in a second
}

const MIB = 1 / (1024 * 1024);

/** By the end of a series' name; what fits none is shown as it was read. */
const UNITS: readonly (readonly [string, Unit])[] = [
  ['cpu_seconds', { unit: 'cores', counter: true }],
  ['busy_seconds', { unit: 'cores', counter: true }],
  ['steal_seconds', { unit: 'cores', counter: true }],
  ['compiler_seconds', { unit: 'cores', counter: true }],
  ['gc_seconds', { unit: 'cores', counter: true }],
  ['request_seconds', { unit: 'in flight', counter: true }],
  ['waited_seconds', { unit: 'in flight' }],
  ['jit_seconds', { unit: 's/s', counter: true }],
  ['throttled_seconds', { unit: 's/s', counter: true }],
  ['pinned_seconds', { unit: 's/s', counter: true }],
  ['pinned_count', { unit: '1/s', counter: true }],
  ['submit_failed', { unit: '1/s', counter: true }],
  ['switches', { unit: '1/s', counter: true }],
  ['requests_served', { unit: '1/s', counter: true }],
  ['_used', { unit: 'MiB', scale: MIB }],
  ['_committed', { unit: 'MiB', scale: MIB }],
  ['rss', { unit: 'MiB', scale: MIB }],
  ['memory', { unit: 'MiB', scale: MIB }],
  ['_ms', { unit: 'ms' }],
  ['load.offered', { unit: '1/s' }],
  ['load.answered', { unit: '1/s' }],
  ['load.failed', { unit: '1/s' }],
];

export function unitOf(series: string): Unit {
  return UNITS.find(([end]) => series.endsWith(end))?.[1] ?? { unit: '' };
}

interface Described {
  title: string;
  unit: string;
  log?: boolean;
  readings: readonly (readonly [string, string])[]; // title, series
}

const GROUPS: readonly Described[] = [
  {
    title: 'Requests',
    unit: '1/s',
    readings: [
      ['offered', 'load.offered'],
      ['answered', 'load.answered'],
      ['failed', 'load.failed'],
    ],
  },
  {
    title: 'Latency',
    unit: 'ms',
    log: true,
    readings: [
      ['p50', 'load.p50_ms'],
      ['p99', 'load.p99_ms'],
    ],
  },
  {
    title: 'Processors',
    unit: 'in use',
    readings: [
      ['app', 'app.cpu_seconds'],
      ['of it, compilers', 'app.compiler_seconds'],
      ['of it, collectors', 'app.gc_seconds'],
      ['database', 'database.cpu_seconds'],
      ['k6', 'generator.cpu_seconds'],
      ['telemetry', 'telemetry.cpu_seconds'],
      ['taken by the host', 'host.steal_seconds'],
    ],
  },
  {
    title: 'Memory of the app',
    unit: 'MiB',
    readings: [
      ['heap in use', 'app.heap_used'],
      ['heap committed', 'app.heap_committed'],
      ['resident', 'app.rss'],
    ],
  },
  {
    title: 'Threads of the app',
    unit: 'threads',
    readings: [
      ['of the system', 'app.os_threads'],
      ['runnable', 'app.threads_runnable'],
      ['waiting', 'app.threads_waiting'],
      ['waiting for a time', 'app.threads_timed_waiting'],
      ['blocked', 'app.threads_blocked'],
      ['virtual, mounted', 'app.virtual_mounted'],
      ['virtual, queued', 'app.virtual_queued'],
    ],
  },
  {
    title: 'Connection pool',
    unit: 'connections, threads',
    readings: [
      ['in use', 'app.pool_active'],
      ['waiting for one', 'app.pool_waiting'],
    ],
  },
  {
    title: 'Memory of the database',
    unit: 'MiB',
    readings: [['resident', 'database.rss']],
  },
];

/** The groups of which the record has any reading; a line that was never read is left out. */
export function timeline(record: RecordOf): { seconds: number[]; groups: Group[] } {
  const groups = GROUPS.map(({ readings, ...group }) => ({
    ...group,
    lines: readings
      .map(([title, series]) => ({ title, values: shown(record, series) }))
      .filter((line) => line.values.some((v) => v !== null)),
  })).filter((group) => group.lines.length > 0);
  return { seconds: secondsOf(record), groups };
}

/** What no group shows: what moved, and in words what didn't. */
export function rest(record: RecordOf): { moved: (Line & { unit: string })[]; still: string[] } {
  const grouped = new Set(GROUPS.flatMap((g) => g.readings.map(([, series]) => series)));
  const moved: (Line & { unit: string })[] = [];
  const still: string[] = [];
  for (const title of Object.keys(record.series?.values ?? {}).sort()) {
    if (grouped.has(title)) continue;
    const values = shown(record, title);
    const known = values.filter((v) => v !== null);
    if (!known.length) still.push(`${title} never read`);
    else if (known.every((v) => v === known[0])) still.push(`${title} ${three(known[0] ?? 0)}`);
    else moved.push({ title, values, unit: unitOf(title).unit });
  }
  return { moved, still };
}

/** Seconds since the first reading, one for each. */
export function secondsOf(record: RecordOf): number[] {
  const kept = record.series;
  if (!kept) return [];
  const length = Math.max(0, ...Object.values(kept.values).map((v) => v.length));
  return Array.from({ length }, (_, n) => n * kept.step);
}

/** Phases that the readings lie in, in seconds since the first of them. */
export function phases(record: RecordOf): { name: string; from: number; to: number }[] {
  const kept = record.series;
  if (!kept) return [];
  const length = Math.max(1, ...Object.values(kept.values).map((v) => v.length)) - 1;
  const end = length * kept.step;
  return (record.timeline ?? [])
    .map((p) => ({
      name: p.name,
      from: Math.max(0, p.start - kept.start),
      to: Math.min(end, p.end - kept.start),
    }))
    .filter((p) => p.to > p.from);
}

/** A series in the unit it is shown in; empty where the record has none. */
export function shown(record: RecordOf, series: string): Values {
  const kept = record.series;
  const values = kept?.values[series];
  if (!kept || !values) return [];
  const { scale = 1, counter = false } = unitOf(series);
  return values.map((v, n) => {
    if (!counter) return v === null ? null : v * scale;
    const before = n === 0 ? null : values[n - 1];
    // A counter that fell was another process's.
    return v === null || before === null || before === undefined || v < before
      ? null
      : ((v - before) / kept.step) * scale;
  });
}

/** Three significant digits, never with an exponent. */
export const three = (value: number) =>
  value.toLocaleString('en', { maximumSignificantDigits: 3, useGrouping: true });
