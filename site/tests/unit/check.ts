import { describe, expect, it } from 'vitest';
import schema from '../../../benchmarks-data/schema/published-1.json';
import { check, Misfit } from '../../src/data/check.ts';

const definitions = schema.$defs as unknown as Record<string, Record<string, unknown>>;
const shard = (): Record<string, unknown> => ({
  format: 1,
  metric: 'p99',
  unit: 'ms',
  better: 'smaller',
  origins: [['s1', 'c'.repeat(40)]],
  environments: ['e1'],
  series: {
    app: {
      time: [1],
      origin: [0],
      environment: [0],
      value: [1.5],
      low: [null],
      high: [2],
      runs: [3],
      validity: 'v',
    },
  },
});
const fits = (value: unknown, kind = 'Shard') =>
  check(value, { $ref: `#/$defs/${kind}` }, definitions);

describe('the check of what was loaded', () => {
  it('takes what the Python side writes', () => {
    expect(() => fits(shard())).not.toThrow();
  });

  it.each([
    ['another version', { format: 2 }],
    ['an unknown direction', { better: 'sideways' }],
    ['a key that nobody knows', { more: 1 }],
    ['an empty name', { metric: '' }],
    ['no object where one should be', { series: [] }],
    [
      'text for a number',
      { series: { app: { ...(shard().series as { app: object }).app, value: ['1'] } } },
    ],
    ...[Number.NaN, 1e19, null, true, [1]].map((wrong): [string, object] => [
      `${String(wrong)} in a long column of numbers`,
      {
        series: {
          app: {
            ...(shard().series as { app: object }).app,
            value: [...Array(500).fill(1), wrong],
          },
        },
      },
    ]),
    [
      'half a number for a whole one',
      { series: { app: { ...(shard().series as { app: object }).app, runs: [1, 1.5] } } },
    ],
    ['a column that is missing', { series: { app: { time: [1] } } }],
  ])('refuses %s', (_, changes) => {
    expect(() => fits({ ...shard(), ...changes })).toThrow(Misfit);
  });

  it.each([null, 1, 'text', [], true])('refuses %j', (value) => {
    expect(() => fits(value)).toThrow(Misfit);
  });

  it('refuses a path that leads elsewhere', () => {
    const index = { format: 1, written: 0, points: 0, runs: 0, bytes: 0, levels: null, months: {} };
    expect(() => fits({ ...index, now: 'now.abc.json' }, 'Index')).not.toThrow();
    for (const now of ['../x.json', '/etc/passwd', 'a/../../b', 'javascript:alert(1)', 'a//b?c']) {
      expect(() => fits({ ...index, now }, 'Index')).toThrow(Misfit);
    }
  });

  it('knows every keyword of our schemas', () => {
    const keywords = new Set<string>();
    const walk = (value: unknown): void => {
      if (Array.isArray(value)) value.forEach(walk);
      else if (value && typeof value === 'object') {
        for (const [key, inner] of Object.entries(value)) {
          if (key === 'properties' || key === '$defs') Object.values(inner as object).forEach(walk);
          else {
            keywords.add(key);
            if (key !== 'default' && key !== 'enum') walk(inner);
          }
        }
      }
    };
    Object.values(schema.$defs).forEach(walk);
    for (const keyword of keywords) {
      expect(() => check(1, { [keyword]: undefined }, {})).not.toThrow();
    }
    expect(() => check(1, { whatever: 1 }, {})).toThrow(Misfit);
  });
});
