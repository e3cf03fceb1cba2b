import { describe, expect, it } from 'vitest';
import { path } from '../../src/charts/spark.ts';
import { capacity } from '../../src/data/record.ts';
import { change, value } from '../../src/format.ts';
import type { Cell, MetricWords, Now, Standing } from '../../src/generated/published.ts';
import { cellName, runLink, runsOf } from '../../src/links.ts';
import { pair, sibling } from '../../src/pages/compare.ts';
import { nines } from '../../src/pages/compare-charts.ts';
import { groupsOf, shade } from '../../src/pages/lanes.ts';
import { linesOf, moved } from '../../src/pages/matrix.ts';
import { csv } from '../../src/pages/trend-table.ts';

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

  it('says nothing of a change where there is one point', () => {
    expect(moved(standing('a'))).toBe('');
    expect(moved(standing('a', { values: [10, 11], level: 11 }))).toBe('+ 10.0 %');
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
  it('are groups of more than one', () => {
    const cells = {
      old: cell({ jdk: '9' }),
      new: cell({ jdk: '21' }),
      alone: cell({ workload: 'other' }),
    };
    const own = ['old', 'new', 'alone'].map((s) => standing(s));
    const [group, ...others] = groupsOf(now(cells, own), 'p99');
    expect(others).toEqual([]);
    expect(group?.jdks).toEqual(['9', '21']);
  });

  it('have a colour only where it is sure', () => {
    expect(shade(2, 'worse')).toBe('worse-3');
    expect(shade(0.5, 'better')).toBe('better-3');
    expect(shade(1.02, 'worse')).toBe('worse-1');
    expect(shade(2, 'alike')).toBe('');
    expect(shade(0.65, 'single')).toBe('');
    expect(shade(null, 'worse')).toBe('');
  });
});

describe('a point’s run', () => {
  const name = (jdk: string, position: number, round = 1) =>
    `${String(position).padStart(3, '0')}+spring-mysql-blocking-virtual+movies-short+jdk-${jdk}+mysql-9.7.0+r${round}.json`;
  const series = (jdk: string) =>
    `spring-mysql-blocking-virtual+movies-short+jdk-${jdk}+mysql-9.7.0+compose+two-cpu`;
  const names = [name('25', 1), name('21', 2), name('27', 3), name('21', 4, 2)];

  it('is of its own JDK, with all its repetitions', () => {
    expect(runsOf(cell({ jdk: '21' }), series('21'), names)).toEqual([
      name('21', 2),
      name('21', 4, 2),
    ]);
    expect(runsOf(cell({ jdk: '27' }), series('27'), names)).toEqual([name('27', 3)]);
    expect(runsOf(cell({ jdk: '22' }), series('22'), names)).toEqual([]);
    expect(runsOf(undefined, 'other tool', names)).toEqual([]);
  });

  it('is linked to only where it is kept', () => {
    const known = now({ [series('21')]: cell({ jdk: '21' }) }, []);
    const row = {
      id: 's',
      time: 1_795_300_000,
      runs: Object.fromEntries(names.map((n) => [n, {}])),
    };
    const rows = new Map([
      [
        's',
        row as unknown as Parameters<typeof runLink>[1] extends ReadonlyMap<string, infer R>
          ? R
          : never,
      ],
    ]);
    expect(runLink(known, rows, series('21'), 's')).toMatch(
      /^#\/run\?month=2026-11&session=s&series=.*jdk-21/,
    );
    expect(runLink(known, rows, series('21'), 'gone')).toBeUndefined();
    expect(runLink(known, rows, series('25'), 's')).toBeUndefined();
  });
});

describe('the CSV', () => {
  it('is quoted, and no formula', () => {
    const series = {
      name: '=HYPERLINK("x"),y', time: [0], value: [-1], low: [null], high: [2], runs: [3], mean: [null], spread: [null], validity: 'v',
      session: ['s'], commit: ['c'], environment: ['e'],
    }; // biome-ignore format: short
    const [, line] = csv([{ title: '', series, point: 0 }]).split('\r\n');
    expect(line).toBe(`"'=HYPERLINK(""x""),y",1970-01-01T00:00:00.000Z,c,s,-1,,2,3,v`);
  });
});
