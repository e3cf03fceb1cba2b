// What is recorded of what ran and never shown is as good as not recorded.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { provenance } from '../../src/data/provenance.ts';
import type { Record as RecordOf } from '../../src/generated/record.ts';

const SESSIONS = '../benchmarks-data/reference/sessions';

const real = readdirSync(SESSIONS).map((session) => {
  const folder = join(SESSIONS, session, 'records');
  const [first] = readdirSync(folder).sort();
  return JSON.parse(readFileSync(join(folder, first ?? ''), 'utf8')) as RecordOf;
});

const [one] = real as [RecordOf];

function leaves(value: unknown): string[] {
  if (value === null || value === undefined || value === '') return [];
  if (typeof value !== 'object') return [String(value)];
  return Object.values(value).flatMap(leaves);
}

const text = (record: RecordOf) =>
  provenance(record)
    .flatMap((part) => [...part.rows.flat(), ...(part.listing ?? [])])
    .join(' ')
    .replaceAll(',', '');

const rows = (record: RecordOf, title: string) =>
  Object.fromEntries(provenance(record).find((p) => p.title === title)?.rows ?? []);

describe.each(real.map((record) => [record.session, record] as const))('of %s', (_, record) => {
  it('every field is shown somewhere', () => {
    const shown = text(record);
    const missing = leaves(record.provenance).filter(
      (said) => !shown.includes(said.replaceAll(',', '')),
    );
    expect(missing).toEqual([]);
  });
});

it('says what is in force under load', () => {
  const limits = {
    app: { cpus: '0-1', quota: null, memory_mib: 1024, priority: '-20' },
    database: { cpus: '0', quota: 1.5, memory_mib: null, priority: '' },
  };
  expect(rows({ ...one, provenance: { ...one.provenance, limits } }, 'Limits in force')).toEqual({
    app: 'processors 0-1, no quota, 1,024 MiB, priority of its group -20',
    database: 'processors 0, 1.5 processors’ worth, no limit of memory, no scheduling groups',
  });
});

it('says how it was warmed up', () => {
  const planned = { seed: 7, warmup_workload: 'movies-constant', warmup_rate: 400 };
  const of = (more: object) =>
    rows({ ...one, planned: { ...planned, ...more } }, 'Cell')['warm-up'];
  expect(of({ warmup_seconds: null })).toBe('movies-constant, 400/s until steady');
  expect(of({ warmup_seconds: 60 })).toBe('movies-constant, 400/s for 60 s');
  expect(of({ warmup_requests: 12_000 })).toBe(
    'movies-constant, 400/s until 12,000 requests were answered',
  );
});

it('says what the host took in the window', () => {
  const at = one.started;
  const record = {
    ...one,
    timeline: [{ name: 'window', start: at, end: at + 2 }],
    series: { start: at, step: 1, values: { 'host.steal_seconds': [5, 5.25, 6.5, 9] } },
  };
  expect(rows(record, 'Machine and generator')['taken by the host in the window']).toBe(
    '1.50 s of processor time',
  );
});

it('of a failed run says what was known', () => {
  const bare = { ...one.provenance, java: null, database: null, generator: null, limits: {} };
  const titles = provenance({ ...one, provenance: bare }).map((p) => p.title);
  expect(titles).toEqual(['Cell', 'Artefact and code', 'Machine and generator']);
});
