import type { Options } from 'k6/options';
import { contractTests } from './contract.ts';
import { idsTests } from './ids.ts';
import { mixTests } from './mix.ts';
import { optionsTests } from './options.ts';
import { randomTests } from './random.ts';
import { sampleTests } from './sample.ts';
import { scheduleTests } from './schedule.ts';

export const options: Options = { thresholds: { checks: ['rate==1.0'] } };

/** In setup(), because an exception there fails the run; one in an iteration would not. */
export function setup(): void {
  contractTests();
  idsTests();
  mixTests();
  optionsTests();
  randomTests();
  sampleTests();
  scheduleTests();
}

export default function nothing(): void {}
