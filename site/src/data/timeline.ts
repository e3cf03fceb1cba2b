// What happened in each second of a run: a record's readings, in the groups and units in which they are shown.

import type { Record as RecordOf } from '../generated/record.ts';

type Values = (number | null)[];

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

interface Reading {
  title: string;
  series: string;
  unit: 'as read' | 'a second' | 'MiB'; // a counter is shown as what it grew by in a second
}

const MIB = 1024 * 1024;

const read = (title: string, series: string): Reading => ({ title, series, unit: 'as read' });
const rate = (title: string, series: string): Reading => ({ title, series, unit: 'a second' });
const size = (title: string, series: string): Reading => ({ title, series, unit: 'MiB' });

const GROUPS: { title: string; unit: string; log?: boolean; readings: Reading[] }[] = [
  {
    title: 'Requests',
    unit: '1/s',
    readings: [
      read('offered', 'load.offered'),
      read('answered', 'load.answered'),
      read('failed', 'load.failed'),
    ],
  },
  {
    title: 'Latency',
    unit: 'ms',
    log: true,
    readings: [read('p50', 'load.p50_ms'), read('p99', 'load.p99_ms')],
  },
  {
    title: 'Processors',
    unit: 'in use',
    readings: [
      rate('app', 'app.cpu_seconds'),
      rate('of it, compilers', 'app.compiler_seconds'),
      rate('of it, collectors', 'app.gc_seconds'),
      rate('database', 'database.cpu_seconds'),
      rate('k6', 'generator.cpu_seconds'),
      rate('telemetry', 'telemetry.cpu_seconds'),
      rate('taken by the host', 'host.steal_seconds'),
    ],
  },
  {
    title: 'Memory of the app',
    unit: 'MiB',
    readings: [
      size('heap in use', 'app.heap_used'),
      size('heap committed', 'app.heap_committed'),
      size('resident', 'app.rss'),
    ],
  },
  {
    title: 'Threads of the app',
    unit: 'threads',
    readings: [
      read('of the system', 'app.os_threads'),
      read('runnable', 'app.threads_runnable'),
      read('waiting', 'app.threads_waiting'),
      read('waiting for a time', 'app.threads_timed_waiting'),
      read('blocked', 'app.threads_blocked'),
      read('virtual, mounted', 'app.virtual_mounted'),
      read('virtual, queued', 'app.virtual_queued'),
    ],
  },
  {
    title: 'Connection pool',
    unit: 'connections, threads',
    readings: [read('in use', 'app.pool_active'), read('waiting for one', 'app.pool_waiting')],
  },
  {
    title: 'Memory of the database',
    unit: 'MiB',
    readings: [size('resident', 'database.rss')],
  },
];

/** The groups of which the record has any reading; a line that was never read is left out. */
export function timeline(record: RecordOf): { seconds: number[]; groups: Group[] } {
  const kept = record.series;
  if (!kept) return { seconds: [], groups: [] };
  const length = Math.max(0, ...Object.values(kept.values).map((v) => v.length));
  const seconds = Array.from({ length }, (_, n) => n * kept.step);
  const groups = GROUPS.map(({ readings, ...group }) => ({
    ...group,
    lines: readings
      .map((reading) => ({
        title: reading.title,
        values: inUnit(reading, kept.values[reading.series] ?? [], kept.step),
      }))
      .filter((line) => line.values.some((v) => v !== null)),
  })).filter((group) => group.lines.length > 0);
  return { seconds, groups };
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

function inUnit({ unit }: Reading, values: Values, step: number): Values {
  if (unit === 'MiB') return values.map((v) => (v === null ? null : v / MIB));
  if (unit === 'as read') return values;
  return values.map((v, n) => {
    const before = n === 0 ? null : values[n - 1];
    // A counter that fell was another process's.
    return v === null || before === null || before === undefined || v < before
      ? null
      : (v - before) / step;
  });
}
