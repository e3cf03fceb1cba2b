import { optionsFor } from '../lib/options.ts';
import { ramp } from '../lib/schedule.ts';
import { expect } from './expect.ts';

export function optionsTests(): void {
  const stages = [{ name: 'climb', from: 10, to: 20, duration: 3 }];
  const options = optionsFor({
    seed: 1,
    timeout: '2s',
    vus: { pre_allocated: 7 },
    mix: { get: 1 },
    stages,
  });

  expect('the plan drives the scenario', options.scenarios?.arrivals, {
    executor: 'ramping-arrival-rate',
    startRate: 10,
    timeUnit: '1s',
    stages: ramp(stages),
    preAllocatedVUs: 7,
    maxVUs: 7,
  });
  expect('nothing ends a run early', options.thresholds, undefined);
}
