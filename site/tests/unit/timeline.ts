// A record's readings, in the units in which they are shown.

import { expect, it } from 'vitest';
import { phases, timeline } from '../../src/data/timeline.ts';
import type { Record as RecordOf } from '../../src/generated/record.ts';

const MIB = 1024 * 1024;

const record = (values: { [k: string]: (number | null)[] }, more: Partial<RecordOf> = {}) =>
  ({ series: { start: 100, step: 2, values }, timeline: [], ...more }) as unknown as RecordOf;

it('shows a counter as what it grew by in a second', () => {
  const { seconds, groups } = timeline(record({ 'app.cpu_seconds': [10, 11, 14, null, 15, 2] }));
  expect(seconds).toEqual([0, 2, 4, 6, 8, 10]);
  expect(groups.map((g) => g.title)).toEqual(['Processors']);
  // Nothing before the first, nothing beside a gap, and a counter that fell is another process's.
  expect(groups[0]?.lines[0]?.values).toEqual([null, 0.5, 1.5, null, null, null]);
});

it('shows memory in MiB, and leaves out what was never read', () => {
  const { groups } = timeline(
    record({ 'app.rss': [MIB, 3 * MIB], 'app.heap_used': [null, null], 'app.pool_active': [] }),
  );
  expect(groups).toEqual([
    { title: 'Memory of the app', unit: 'MiB', lines: [{ title: 'resident', values: [1, 3] }] },
  ]);
});

it('has nothing to show of a run without readings', () => {
  const nothing = { series: null } as unknown as RecordOf;
  expect(timeline(nothing)).toEqual({ seconds: [], groups: [] });
  expect(phases(nothing)).toEqual([]);
});

it('keeps phases inside the readings', () => {
  const own = record(
    { 'app.rss': [1, 2, 3] },
    {
      timeline: [
        { name: 'warm-up', start: 90, end: 101 },
        { name: 'window', start: 101, end: 110 },
        { name: 'stop', start: 110, end: 112 },
      ],
    },
  );
  expect(phases(own)).toEqual([
    { name: 'warm-up', from: 0, to: 1 },
    { name: 'window', from: 1, to: 4 },
  ]);
});
