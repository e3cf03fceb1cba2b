import { describe, expect, it } from 'vitest';
import { align } from '../../src/charts/line.ts';
import { join, within } from '../../src/data/series.ts';
import type { Shard } from '../../src/generated/published.ts';

function shard(times: number[], validity = 'v'.repeat(times.length)): Shard {
  return {
    format: 1,
    metric: 'p99',
    unit: 'ms',
    better: 'smaller',
    origins: [['s1', 'c1']],
    environments: ['e1'],
    series: {
      app: {
        time: times,
        origin: times.map(() => 0),
        environment: times.map(() => 0),
        value: times.map((t) => t * 2),
        low: times.map(() => null),
        high: times.map((t) => t * 3),
        runs: times.map(() => 3),
        validity,
      },
    },
  } as unknown as Shard;
}

const shown = (series: ReturnType<typeof join>) => ({
  series,
  title: series.name,
  findings: [],
  reference: null,
});

describe('series', () => {
  it('are joined over months, and months without them leave no hole', () => {
    const found = join('app', [shard([1, 2]), null, shard([5])]);
    expect(found.time).toEqual([1, 2, 5]);
    expect(found.value).toEqual([2, 4, 10]);
    expect(found.commit).toEqual(['c1', 'c1', 'c1']);
    expect(join('toString', [shard([1])]).time).toEqual([]);
  });

  it('leave out a point whose origin is not there', () => {
    const broken = shard([1, 2]);
    (broken.series.app as { origin: number[] }).origin = [0, 9];
    expect(join('app', [broken]).time).toEqual([1]);
  });

  it('meet on one axis, the invalid points apart from the lines', () => {
    const a = join('app', [shard([1, 3], 'vi')]);
    const b = join('app', [shard([2, 3])]);
    const found = align([shown(a), shown(b)], false);
    expect(found.x).toEqual([1, 2, 3]);
    expect(found.value).toEqual([
      [2, null, null],
      [null, 4, 6],
    ]);
    expect(found.other).toEqual([
      [null, null, 6],
      [null, null, null],
    ]);
    expect(found.high[1]).toEqual([null, 6, 9]);
    expect(found.low[1]).toEqual([null, 4, 6]);
    expect(align([shown(a), shown(b)], true).x).toEqual([0, 1, 2]);
  });
});

describe('months', () => {
  it('are those within the range', () => {
    const all = ['2026-01', '2026-02', '2026-03'];
    expect(within(all, '2026-02', '')).toEqual(['2026-02', '2026-03']);
    expect(within(all, '', '2026-01')).toEqual(['2026-01']);
  });
});
