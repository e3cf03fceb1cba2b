import { describe, expect, it } from 'vitest';
import {
  middle,
  quantile,
  ranks,
  ratio,
  type Sample,
  sure,
  word,
} from '../../src/data/interval.ts';

/** As the Python side publishes the values of runs. */
function sample(...values: number[]): Sample {
  if (values.length < 2)
    return { value: values[0] ?? 0, mean: null, spread: null, runs: values.length };
  const logs = values.map(Math.log);
  const mean = logs.reduce((a, b) => a + b) / logs.length;
  const spread = Math.sqrt(logs.reduce((sum, l) => sum + (l - mean) ** 2, 0) / (logs.length - 1));
  return { value: values[0] as number, mean: Math.exp(mean), spread, runs: values.length };
}

describe('a ratio', () => {
  it('has Welch’s interval of the logarithms', () => {
    // By Python's statistics module: mean logarithms 0.170470 apart, with a standard error of 0.052405 and 2.698
    // degrees of freedom, of which 2 have t = 4.303.
    const found = ratio(sample(10, 10.5, 9.8), sample(11, 12, 13));
    expect(found?.at).toBeCloseTo(1.185862, 5);
    expect(found?.low).toBeCloseTo(0.946457, 5);
    expect(found?.high).toBeCloseTo(1.485824, 5);
    expect(sure(found)).toBe(false);
  });

  it('of single runs has no interval, and says nothing', () => {
    const found = ratio(sample(10), sample(20));
    expect(found).toEqual({ at: 2, low: null, high: null });
    expect(word(found, 'smaller')).toBe('single');
    expect(sure(found)).toBe(false);
    expect(word(ratio(sample(10), sample(20, 21, 19)), 'smaller')).toBe('single');
  });

  it('that leaves no change out is better or worse, as the metric has it', () => {
    const found = ratio(sample(10, 10.1, 9.9), sample(20, 20.2, 19.8));
    expect(word(found, 'smaller')).toBe('worse');
    expect(word(found, 'bigger')).toBe('better');
    expect(word(ratio(sample(9, 10, 11), sample(10, 11, 9)), 'smaller')).toBe('alike');
  });

  it('of nothing means nothing', () => {
    expect(ratio(sample(0), sample(5))).toBeNull();
    expect(word(null, 'smaller')).toBe('single');
  });
});

describe('ranks', () => {
  it('are shared by those that can’t be told apart from the best', () => {
    const own = [
      sample(10, 10.1, 9.9),
      sample(10.05, 10.2, 9.9),
      sample(20, 20.2, 19.8),
      sample(20.1, 19.7, 20.3),
    ];
    expect(ranks(own, 'smaller')).toEqual([1, 1, 3, 3]);
    expect(ranks(own, 'bigger')).toEqual([3, 3, 1, 1]);
  });

  it('of single runs are all the same', () => {
    expect(ranks([sample(1), sample(2), sample(3)], 'smaller')).toEqual([1, 1, 1]);
  });
});

it('a mean has its interval', () => {
  const own = middle(sample(10, 11, 12.1));
  expect(own.at).toBeCloseTo(11, 6);
  expect(own.low).toBeCloseTo(11 * Math.exp((-4.303 * Math.log(1.1)) / Math.sqrt(3)), 6);
  expect(middle(sample(5))).toEqual({ at: 5, low: null, high: null });
});

it('Student’s t is never too small', () => {
  expect([1, 2, 4, 4.9, 10, 30, 35, 200].map(quantile)).toEqual([
    12.706, 4.303, 2.776, 2.776, 2.228, 2.042, 2.042, 1.98,
  ]);
});
