import type { Options, Scenario } from 'k6/options';
import type { Plan, Touch } from './plan.ts';
import { ramp } from './schedule.ts';

/** The open model: arrivals come as planned, however slow the answers are. */
export function optionsFor(plan: Plan): Options {
  return {
    scenarios: {
      ...(plan.touch ? { touch: touching(plan, plan.touch) } : {}),
      arrivals: {
        executor: 'ramping-arrival-rate',
        startRate: plan.stages[0]?.from ?? 0,
        timeUnit: '1s',
        stages: ramp(plan.stages),
        preAllocatedVUs: plan.vus.pre_allocated,
        // No more than that: starting a VU costs CPU just when the service is in trouble.
        maxVUs: plan.vus.pre_allocated,
        // The same VUs as the touch has: k6 makes more of them where two scenarios overlap.
        ...(plan.touch ? { startTime: milliseconds(plan.touch.duration + plan.touch.rest) } : {}),
      },
    },
    // Each tag is a column in every row of the results, and costs CPU.
    systemTags: ['name', 'status', 'error', 'error_code'],
    summaryTrendStats: ['avg', 'min', 'med', 'max', 'p(95)', 'p(99)'],
    setupTimeout: '300s',
    maxRedirects: 0,
    noCookiesReset: true,
    userAgent: 'telar-k6',
  };
}

/** Its requests have a name of the setup's, and no stage: they are no part of the window. */
function touching(plan: Plan, touch: Touch): Scenario {
  return {
    executor: 'ramping-arrival-rate',
    exec: 'touch',
    startRate: touch.rate,
    timeUnit: '1s',
    stages: [
      { target: touch.rate, duration: milliseconds(touch.duration) },
      // As after the arrivals: k6 needs a moment to activate its VUs, and the last ones would be left out.
      { target: 0, duration: '0s' },
      { target: 0, duration: milliseconds(touch.rest / 2) },
    ],
    preAllocatedVUs: plan.vus.pre_allocated,
    maxVUs: plan.vus.pre_allocated,
    gracefulStop: milliseconds(touch.rest / 4),
    tags: { name: 'setup-touch' },
  };
}

function milliseconds(seconds: number): string {
  return `${Math.ceil(seconds * 1000)}ms`;
}
