import { describe, expect, it } from 'vitest';
import { decode, Histogram } from '../../src/data/histogram.ts';

// Made by the Python side: telar.analyse.histogram.of([1, 2, 2047, 2048, 2049, 5000, 123456, 999999, 60000000, and
// 1000 + 7 n for n below 500]), its encoding and its percentiles in milliseconds.
import sample from './histogram.json';

describe('histograms', () => {
  it('are those of the Python side', async () => {
    const found = await decode(sample.encoded);
    expect(found.total).toBe(sample.total);
    for (const [percent, ms] of Object.entries(sample.p)) {
      expect(found.percentile(Number(percent)) / 1000, `p${percent}`).toBeCloseTo(ms, 6);
    }
  });

  it('merge exactly', async () => {
    const one = await decode(sample.encoded);
    const two = Histogram.merged([one, one]);
    expect(two.total).toBe(2 * one.total);
    expect(two.percentile(90)).toBe(one.percentile(90));
    expect(two.steps().at(-1)?.[1]).toBe(1);
  });

  it('that are cut short, or none, are refused', async () => {
    const whole = sample.encoded;
    for (const wrong of [
      '',
      'not base64!',
      btoa('something else'),
      whole.slice(0, 40),
      `AAAA${whole}`,
    ]) {
      await expect(decode(wrong), wrong.slice(0, 12)).rejects.toThrow(RangeError);
    }
  });
});
