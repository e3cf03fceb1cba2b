import { describe, expect, it } from 'vitest';
import { path } from '../../src/charts/spark.ts';
import { capacity } from '../../src/data/record.ts';
import { change, value } from '../../src/format.ts';
import type { Cell, MetricWords, Now, Standing } from '../../src/generated/published.ts';
import { cellName, nines, pair, sibling } from '../../src/pages/compare.ts';
import { between, groupsOf, shade } from '../../src/pages/lanes.ts';
import { linesOf } from '../../src/pages/overview.ts';
import { csv } from '../../src/pages/trend.ts';

const cell = (changes: Partial<Cell> = {}): Cell =>
  ({
    variant: 'spring-mysql-blocking-virtual', workload: 'movies-short', jdk: '25',
    drivers: { mysql: '9.7.0' }, engine: 'compose', runner: 'two-cpu', layout: 'co-located', ...changes,
  }) as Cell; // biome-ignore format: short

const standing = (series: string, changes: Partial<Standing> = {}): Standing => ({
  series, metric: 'p99', unit: 'ms', better: 'smaller', time: 1, commit: '', origin: 's', validity: 'valid',
  value: 10, reference: 10, level: 10, values: [10], findings: [], low: null, high: null, ...changes,
}); // biome-ignore format: short

const now = (cells: Record<string, Cell>, own: Standing[]): Now =>
  ({
    format: 1,
    variants: {},
    metrics: {},
    jdks: {},
    slo_p99_ms: 100,
    cells,
    standing: own,
  }) as unknown as Now;

const PLATFORM = 'spring-mysql-blocking-platform+movies-short+jdk-25+mysql-9.7.0+compose+two-cpu';
const VIRTUAL = PLATFORM.replace('-platform', '-virtual');

describe('numbers', () => {
  it('have their metric’s digits and unit', () => {
    const words = { digits: 2, unit: 'ms' } as MetricWords;
    expect(value(words, 1234.5)).toBe('1,234.50 ms');
    expect(value(words, null)).toBe('–');
  });

  it('change by a share, or by nothing that is known', () => {
    expect(change(10, 11)).toBe('+ 10.0 %');
    expect(change(10, 9)).toBe('− 10.0 %');
    expect(change(10, 10.001)).toBe('± 0.0 %');
    expect(change(0, 5)).toBe('–');
  });
});

describe('the overview', () => {
  it('has a line for each cell that knows the metric', () => {
    const own = [standing('a'), standing('b', { metric: 'p50' }), standing('c')];
    expect(
      linesOf(now({ a: cell(), b: cell() }, own), 'p99').map((l) => l.standing.series),
    ).toEqual(['a']);
  });

  it('puts the best first when asked, and last what has no valid value', () => {
    const own = [
      standing('a', { value: 9 }),
      standing('b', { value: null }),
      standing('c', { value: 3 }),
    ];
    const cells = { a: cell(), b: cell(), c: cell() };
    expect(linesOf(now(cells, own), 'p99', true).map((l) => l.standing.series)).toEqual([
      'c',
      'a',
      'b',
    ]);
    const rates = own.map((s) => ({ ...s, better: 'bigger' as const }));
    expect(linesOf(now(cells, rates), 'p99', true).map((l) => l.standing.series)).toEqual([
      'a',
      'c',
      'b',
    ]);
  });

  it('draws nothing of one value', () => {
    expect(path([1])).toBe('');
    expect(path([1, 2, 3]).match(/[ML]/g)).toHaveLength(3);
  });
});

describe('the comparison', () => {
  const both = now(
    { [PLATFORM]: cell({ variant: 'spring-mysql-blocking-platform' }), [VIRTUAL]: cell() },
    [],
  );

  it('begins with platform beside virtual threads', () => {
    expect(pair(both, new URLSearchParams(), [PLATFORM, VIRTUAL])).toEqual([PLATFORM, VIRTUAL]);
    expect(sibling(both, VIRTUAL)).toBe(PLATFORM);
    expect(sibling(now({ [VIRTUAL]: cell() }, []), VIRTUAL)).toBeUndefined();
  });

  it('finds the cell in the name of a run', () => {
    expect(cellName('003+a-virtual+movies-short+jdk-25+mysql-9.7.0+r12.json')).toBe(
      'a-virtual+movies-short+jdk-25+mysql-9.7.0',
    );
  });

  it('puts the nines at the same distance', () => {
    expect([0, 90, 99, 99.9].map((p) => Math.round(nines(p) * 1e6) / 1e6)).toEqual([0, 1, 2, 3]);
  });

  it('has a capacity that is held, below the first rate that is too slow', () => {
    const at = (rate: number, p99: number, held = true) => ({ rate, held, p50: 1, p99 });
    expect(
      capacity([at(50, 10), at(75, 20, false), at(100, 90), at(150, 300), at(200, 50)], 100),
    ).toBe(100);
    expect(capacity([at(50, 500)], 100)).toBeNull();
  });
});

describe('the lanes', () => {
  it('are groups of more than one, against the oldest', () => {
    const cells = {
      old: cell({ jdk: '9' }),
      new: cell({ jdk: '21' }),
      alone: cell({ workload: 'other' }),
    };
    const own = ['old', 'new', 'alone'].map((s) => standing(s));
    const [group, ...others] = groupsOf(now(cells, own), 'p99');
    expect(others).toEqual([]);
    expect(group?.jdks).toEqual(['9', '21']);
    expect(group?.base.standing.series).toBe('old');
  });

  it('are shaded by how much worse or better they are', () => {
    expect(shade(standing('x', { level: 20 }), 10)).toBe('worse-3');
    expect(shade(standing('x', { level: 9.2 }), 10)).toBe('better-1');
    expect(shade(standing('x', { level: 10.1 }), 10)).toBe('');
    expect(shade(standing('x', { level: 12, better: 'bigger' }), 10)).toMatch(/^better/);
    expect(shade(standing('x', { level: null }), 10)).toBe('');
  });
});

describe('the CSV', () => {
  it('is quoted, and no formula', () => {
    const series = {
      name: '=HYPERLINK("x"),y', time: [0], value: [-1], low: [null], high: [2], runs: [3], validity: 'v',
      session: ['s'], commit: ['c'], environment: ['e'],
    }; // biome-ignore format: short
    const [, line] = csv([{ title: '', series, point: 0 }]).split('\r\n');
    expect(line).toBe(`"'=HYPERLINK(""x""),y",1970-01-01T00:00:00.000Z,c,s,-1,,2,3,v`);
  });
});

describe('a lane beside its base', () => {
  const base = standing('a', { low: 9, high: 11 });
  it('lies between what the runs furthest apart say', () => {
    expect(between(base, standing('b', { low: 12.1, high: 13.5 }))).toBe(' (+ 10.0 % … + 50.0 %)');
  });
  it('says that runs are single, and nothing of a history that has no ranges', () => {
    const once = standing('b', { low: 10, high: 10 });
    expect(between(once, once)).toBe(' (single runs)');
    expect(between(base, standing('b'))).toBe('');
  });
});
