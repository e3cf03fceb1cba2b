import exec from 'k6/execution';
import { type Stage, stageAt } from './schedule.ts';

/** When the arrivals' scenario began, in milliseconds since 1970; the same in every VU. */
let started = 0;

/**
 * The number of the arrival that this iteration is, from 0. All its results bear it, and with it the moment at
 * which the schedule wanted it can be known; the stage in which it began tells it from the setup.
 */
export function beginArrival(stages: Stage[]): number {
  const number = exec.scenario.iterationInTest;
  started ||= exec.scenario.startTime;
  exec.vu.metrics.metadata.arrival = String(number);
  exec.vu.metrics.tags.stage = stageAt(stages, (Date.now() - started) / 1000);
  return number;
}
