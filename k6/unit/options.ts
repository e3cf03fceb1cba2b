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
  expect('without a touch there is no other scenario', Object.keys(options.scenarios ?? {}), [
    'arrivals',
  ]);

  const touched = optionsFor({
    seed: 1,
    timeout: '2s',
    vus: { pre_allocated: 7 },
    mix: { get: 1 },
    stages,
    touch: { rate: 20, duration: 0.35, rest: 0.5 },
  });
  expect('each VU is touched once, with a name of the setup', touched.scenarios?.touch, {
    executor: 'ramping-arrival-rate',
    exec: 'touch',
    startRate: 20,
    timeUnit: '1s',
    stages: [
      { target: 20, duration: '350ms' },
      { target: 0, duration: '0s' },
      { target: 0, duration: '250ms' },
    ],
    preAllocatedVUs: 7,
    maxVUs: 7,
    gracefulStop: '125ms',
    tags: { name: 'setup-touch' },
  });
  expect(
    'the arrivals begin when the VUs are back',
    touched.scenarios?.arrivals?.startTime,
    '850ms',
  );
}
