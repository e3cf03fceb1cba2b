import { sleep } from 'k6';
import type { Stage } from './schedule.ts';

/**
 * A VU's first request opens its connection, and its first iteration parses what setup() found. k6 takes its
 * VUs in turns, so in a short window every fourth request would be some VU's first.
 */
export interface Touch {
  /** VUs a second. */
  rate: number;
  /** Seconds: with `rate`, as many as there are VUs, or fewer where that would take too long. */
  duration: number;
  /** Seconds from there to the first stage: for the last answers, and for k6 to take its VUs back. */
  rest: number;
}

/** What a run does. The runner writes it from workload.toml, scaled or overridden as the cell asks. */
export interface Plan {
  seed: number;
  /** A request without an answer after this long has failed, e.g. '2s'. */
  timeout: string;
  vus: { pre_allocated: number };
  /** Operation → its share of each block of arrivals. */
  mix: Record<string, number>;
  stages: Stage[];
  /** Before the arrivals each VU asks for one thing. Without it, as in warm-ups, none does. */
  touch?: Touch;
  /** When the load begins, in milliseconds since 1970: several generators begin together. */
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
