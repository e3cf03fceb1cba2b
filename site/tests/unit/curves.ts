// What the curves of a session's page are made of.

import { expect, it, vi } from 'vitest';
import { Histogram } from '../../src/data/histogram.ts';
import type { Measured } from '../../src/pages/session-curves.ts';

vi.mock('uplot', () => ({ default: class {} })); // it wants a browser when it is loaded
const { pointsOf, scalesOf } = await import('../../src/pages/session-curves.ts');

/** So many requests of one length, of a stage that goes from one rate to another. */
function stage(from: number, to: number, requests: number): Measured {
  const all = new Histogram(new Map([[2000, requests]]), 10);
  return {
    stage: { name: `${from}-${to}`, from_rate: from, to_rate: to, start: 0, end: 1 },
    all,
    endpoints: new Map(),
  };
}

it('a point stands at the mean of the offered rate, in the order of the rates', () => {
  const found = pointsOf([stage(50, 100, 10), stage(50, 50, 10)], (s) => s.all, 50);
  expect(found.map(([rate]) => rate)).toEqual([50, 75]);
  expect(found.map(([, ms]) => Math.round(ms))).toEqual([2, 2]);
});

it('a percentile is drawn only where a request lies beyond it', () => {
  const drawn = (requests: number, percent: number) =>
    pointsOf([stage(50, 50, requests)], (s) => s.all, percent).length;
  expect([drawn(100, 99), drawn(99, 99)]).toEqual([1, 0]);
  expect([drawn(20, 95), drawn(19, 95)]).toEqual([1, 0]);
  expect(pointsOf([stage(50, 50, 100)], () => undefined, 50)).toEqual([]);
});

it('the scales hold all points, also a single one, and there are none of nothing', () => {
  const found = scalesOf([
    [50, 1],
    [150, 40],
  ]);
  expect(found?.x[0]).toBeLessThan(50);
  expect(found?.x[1]).toBeGreaterThan(150);
  expect(found?.y[0]).toBeLessThan(1);
  expect(found?.y[1]).toBeGreaterThan(40);
  const one = scalesOf([[100, 3]]);
  expect(one?.x[0]).toBeLessThan(one?.x[1] ?? 0);
  expect(scalesOf([])).toBeNull();
});
