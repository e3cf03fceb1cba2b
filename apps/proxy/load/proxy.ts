import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import type { Options, Scenario } from 'k6/options';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { optionsFor } from '../../../k6/lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../../../k6/lib/plan.ts';
import { summaryOf } from '../../../k6/lib/summary.ts';

const plan = readPlan();
const base = baseUrl();
/** The mix has one operation, which says how long the remote system takes: `movie-2ms`. */
const operation = Object.keys(plan.mix)[0] as string;
const delay = Number(/^movie-(\d+)ms$/.exec(operation)?.[1]);
const MOVIES = 10_000;

export const options: Options = patient(optionsFor(plan));
export const handleSummary = summaryOf;

export function setup(): void {
  exec.vu.metrics.tags.name = 'setup';
  waitForBegin(plan);
}

/** A VU's first request, before the window: one that waits for no other service. */
export function touch(): void {
  http.get(`${base}/`, { timeout: plan.timeout, responseType: 'none' });
}

/** Which movie it is depends on the arrival's number alone, so every arm sees the same. */
export default function arrive(): void {
  const id = 1 + (beginArrival(plan.stages) % MOVIES);
  exec.vu.metrics.tags.name = operation;
  const url = `${base}/movies/${id}?delay=${delay}`;
  const response = http.get(url, { timeout: plan.timeout, responseType: 'text' });
  if (response.status === 0) return; // a failed request, with its error code
  const reason = broken(response.status, response.body, id);
  check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

function broken(status: number, body: string | null, id: number): string {
  if (status !== 200) return `status ${status}`;
  return body === `{"id":${id},"title":"Movie ${id}","millis":${delay}}` ? '' : 'body';
}

/** Requests that wait at the schedule's end are answered or time out; none is cut off. */
function patient(common: Options): Options {
  const arrivals = { ...common.scenarios?.arrivals, gracefulStop: plan.timeout } as Scenario;
  return { ...common, scenarios: { ...common.scenarios, arrivals } };
}
