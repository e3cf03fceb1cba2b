// A record's readings, in the units in which they are shown.

import { expect, it } from 'vitest';
import { boundsOf, broken } from '../../src/charts/mini.ts';
import { phases, rest, three, timeline } from '../../src/data/timeline.ts';
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

it('keeps what no chart has: what moved, and in words what didn’t', () => {
  const { moved, still } = rest(
    record({
      'app.rss': [MIB, MIB],
      'app.classes_loaded': [1, 2],
      'app.threads_new': [7, 7],
      'app.cgroup_memory': [null, null],
    }),
  );
  expect(moved).toEqual([{ title: 'app.classes_loaded', values: [1, 2], unit: '' }]);
  expect(still).toEqual(['app.cgroup_memory never read', 'app.threads_new 7']);
});

it.each([
  [0, '0'],
  [0.01234, '0.0123'],
  [1.5, '1.5'],
  [42.42, '42.4'],
  [1999.6, '2,000'],
])('numbers beside charts have three digits: %s', (value, text) => {
  expect(three(value)).toBe(text);
});

it('a small line breaks where nothing was read, and a lone reading is a dot', () => {
  expect(broken([[0, 1], [2, 3], null, [4, 4], [5, 6]])).toBe('M0 1L2 3M4 4L5 6');
  expect(broken([null, [3, 4], null])).toBe('M3 4h0');
});

it('bounds hold all values: from zero, and of a logarithmic scale those above it', () => {
  expect(boundsOf([[2, null], [5]])).toEqual({ low: 0, high: 5 });
  expect(boundsOf([[0, 2], [5]], true)).toEqual({ low: 2, high: 5 });
  expect(boundsOf([[null], []])).toBeNull();
});
