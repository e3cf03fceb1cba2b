import { sleep } from 'k6';
import type { Stage } from './schedule.ts';

/** What a run does. The runner writes it from workload.toml, scaled or overridden as the cell asks. */
export interface Plan {
  seed: number;
  /** A request without an answer after this long has failed, e.g. '2s'. */
  timeout: string;
  vus: { pre_allocated: number };
  /** Operation → its share of each block of arrivals. */
  mix: Record<string, number>;
  stages: Stage[];
  /** When the arrivals begin, in milliseconds since 1970: several generators begin together. */
  begin?: number;
  /** How many rows the database was seeded with. Without it, all there are: a warm-up's remains, too. */
  rows?: number;
}

/** Works in the init context only, as k6's `open` does. */
export function readPlan(): Plan {
  return JSON.parse(open(variable('TELAR_PLAN')));
}

/** The last thing that a setup does. */
export function waitForBegin(plan: Plan): void {
  if (plan.begin === undefined) return;
  const left = plan.begin - Date.now();
  if (left < 0)
    throw new Error(`the setup took ${-left} ms longer than several generators wait for it`);
  sleep(left / 1000);
}

export function baseUrl(): string {
  return variable('TELAR_BASE_URL');
}

function variable(name: string): string {
  const value = __ENV[name];
  if (!value) throw new Error(`${name} is not set: the runner sets it, see k6/README.md.`);
  return value;
}
