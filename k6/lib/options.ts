import type { Options } from 'k6/options';
import type { Plan } from './plan.ts';
import { ramp } from './schedule.ts';

/** The open model: arrivals come as planned, however slow the answers are. */
export function optionsFor(plan: Plan): Options {
  return {
    scenarios: {
      arrivals: {
        executor: 'ramping-arrival-rate',
        startRate: plan.stages[0]?.from ?? 0,
        timeUnit: '1s',
        stages: ramp(plan.stages),
        preAllocatedVUs: plan.vus.pre_allocated,
        // No more than that: starting a VU costs CPU just when the service is in trouble.
        maxVUs: plan.vus.pre_allocated,
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
