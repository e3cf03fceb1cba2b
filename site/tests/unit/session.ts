// What may be compared: one session, in surroundings that differ in what is under test only.

import { describe, expect, it } from 'vitest';
import {
  abCommand,
  differences,
  type Measured,
  type OfSession,
  Recent,
} from '../../src/data/session.ts';
import type { Cell, Now } from '../../src/generated/published.ts';
import { comparedIn, groupsOf } from '../../src/pages/lanes.ts';
import { comparable, rankable, ranked } from '../../src/pages/leaderboard.ts';
import { asked, verdictOf } from '../../src/pages/question.ts';

const cell = (changes: Partial<Cell> = {}): Cell =>
  ({
    variant: 'spring-mysql-blocking-virtual', workload: 'movies-short', jdk: '25',
    drivers: { mysql: '9.7.0' }, engine: 'compose', runner: 'two-cpu', layout: 'co-located', ...changes,
  }) as Cell; // biome-ignore format: short

const words = (changes: Record<string, string> = {}) => ({
  processor: 'AMD EPYC, 2 of them',
  kernel: '6.18',
  JVM: '25.0.5',
  database: 'MySQL 9.7.4',
  'database settings': 'b8',
  'k6 script': 'a0',
  ...changes,
});

const AMD = words();
const INTEL = words({ processor: 'Intel Xeon, 2 of them' });
const AMD21 = words({ JVM: '21.0.13' });

function measured(
  series: string,
  session: string,
  environment: string,
  values: number[],
  own = cell(),
): Measured {
  const logs = values.map(Math.log);
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const several = values.length > 1;
  return {
    series, cell: own, better: 'smaller', session, time: session === 'amd' ? 1 : 2, commit: '', environment,
    value: values[0] as number, low: null, high: null, runs: values.length, valid: true,
    mean: several ? Math.exp(mean) : null,
    spread: several ? Math.sqrt(logs.reduce((s, l) => s + (l - mean) ** 2, 0) / (logs.length - 1)) : null,
  }; // biome-ignore format: short
}

const ofSession = (id: string, ...own: Measured[]): OfSession => ({
  id,
  time: own[0]?.time ?? 0,
  measured: new Map(own.map((m) => [m.series, m])),
});

const CELLS = {
  p21: cell({ variant: 'app-platform', jdk: '21' }),
  v21: cell({ variant: 'app-virtual', jdk: '21' }),
  p25: cell({ variant: 'app-platform' }),
  v25: cell({ variant: 'app-virtual' }),
};
const now = {
  variants: {
    'app-platform': {
      system: 's',
      framework: 'f',
      database: 'mysql',
      model: 'blocking',
      launch: 'platform',
      description: '',
    },
    'app-virtual': {
      system: 's',
      framework: 'f',
      database: 'mysql',
      model: 'blocking',
      launch: 'virtual',
      description: '',
    },
  },
  cells: CELLS,
  metrics: {},
  standing: Object.keys(CELLS).map((series) => ({ series, metric: 'p99' })),
} as unknown as Now;
const ENVIRONMENTS = new Map([
  ['amd', AMD],
  ['intel', INTEL],
  ['amd21', AMD21],
]);
const at = (series: keyof typeof CELLS, session: string, environment: string, values: number[]) =>
  measured(series, session, environment, values, CELLS[series]);

describe('an Intel and an AMD session', () => {
  // JDK 25 was measured on both, JDK 21 on AMD only: across the machines it would seem 35 % faster.
  const recent = new Recent(
    now,
    [
      ofSession(
        'intel',
        at('v25', 'intel', 'intel', [3.3, 3.2, 3.4]),
        at('p25', 'intel', 'intel', [3.0, 3.1, 2.9]),
      ),
      ofSession('amd', at('v21', 'amd', 'amd21', [5.1]), at('v25', 'amd', 'amd', [5.6])),
    ],
    ENVIRONMENTS,
  );

  it('are never compared with each other', () => {
    const [a, b] = [at('v21', 'amd', 'amd21', [5.1]), at('v25', 'intel', 'intel', [3.3])];
    expect(recent.apart(a, b).map((d) => d.what)).toEqual(['processor', 'session']);
    expect(recent.beside(a, [a, b])).toEqual([a]);
  });

  it('leave the lanes to the one that measured both, without an interval', () => {
    const group = groupsOf(now, 'p99').find((g) => g.title.startsWith('app-virtual'));
    const found = group && comparedIn(recent, group);
    expect(found?.session?.id).toBe('amd');
    expect([...(found?.beside.keys() ?? [])].sort()).toEqual(['v21', 'v25']);
  });

  it('leave the question to the one that measured both kinds of threads', () => {
    const [own, ...more] = asked(now, recent, 'movies-short', '25');
    expect(more).toEqual([]);
    expect(own?.pair?.map((m) => m.session)).toEqual(['intel', 'intel']);
    expect(own && verdictOf(own)).toBe('worse');
    const [other] = asked(now, recent, 'movies-short', '21');
    expect([other?.pair, other?.why]).toEqual([null, 'no session measured both']);
  });

  it('leave the question to an older session where the newest changed machines in between', () => {
    const moved = ofSession(
      'moved',
      at('v25', 'moved', 'intel', [9, 9, 9]),
      at('p25', 'moved', 'amd', [3, 3, 3]),
    );
    const [own] = asked(
      now,
      new Recent(now, [moved, ...recent.sessions], ENVIRONMENTS),
      'movies-short',
      '25',
    );
    expect(own?.pair?.map((m) => m.session)).toEqual(['intel', 'intel']);
    const [none] = asked(now, new Recent(now, [moved], ENVIRONMENTS), 'movies-short', '25');
    expect([none?.pair, none?.why]).toEqual([null, 'not comparable, these differ: processor']);
  });

  it('are ranked each by itself', () => {
    expect(rankable(recent, 'movies-short').map((s) => s.id)).toEqual(['intel', 'amd']);
    const [intel, amd] = recent.sessions as [OfSession, OfSession];
    expect(
      ranked(comparable(recent, intel, 'movies-short')).map((r) => [r.own.series, r.rank]),
    ).toEqual([
      ['p25', 1],
      ['v25', 2],
    ]);
    expect(
      ranked(comparable(recent, amd, 'movies-short')).map((r) => [r.own.series, r.rank]),
    ).toEqual([
      ['v21', null],
      ['v25', null],
    ]);
  });
});

describe('surroundings', () => {
  const a = at('v21', 'amd', 'amd21', [1]);
  const b = at('v25', 'amd', 'amd', [1]);

  it('may differ in what is under test', () => {
    expect(differences(now, a, b, AMD21, AMD)).toEqual([]);
  });

  it('of the same JDK may not differ in its build', () => {
    const same = { ...a, cell: CELLS.v25 };
    expect(differences(now, same, b, AMD21, AMD).map((d) => d.what)).toEqual(['JVM']);
  });

  it('that aren’t known aren’t the same', () => {
    expect(differences(now, a, b, undefined, AMD)).toHaveLength(1);
  });
});

describe('the command that would answer', () => {
  it('names both sides', () => {
    expect(abCommand(CELLS.p25, CELLS.v25)).toBe(
      './telar ab --base variant=app-platform --head variant=app-virtual',
    );
    expect(abCommand(CELLS.v21, CELLS.v25)).toBe(
      './telar ab --base jdk=21 --head jdk=25 --only app-virtual',
    );
  });

  it('isn’t given where there is none', () => {
    expect(abCommand(CELLS.p25, { ...CELLS.v25, workload: 'other' })).toBeNull();
    expect(abCommand(CELLS.p25, CELLS.p25)).toBeNull();
  });
});
