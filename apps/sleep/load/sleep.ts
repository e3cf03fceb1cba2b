import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import type { Options, Scenario } from 'k6/options';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { optionsFor } from '../../../k6/lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../../../k6/lib/plan.ts';
import { summaryOf } from '../../../k6/lib/summary.ts';

const plan = readPlan();
const operation = Object.keys(plan.mix)[0] as string;
const url = `${baseUrl()}/op${query(operation)}`;
const answer = `{"millis":${millisOf(operation) ?? 4000}}`;

export const options: Options = patient(optionsFor(plan));
export const handleSummary = summaryOf;

export function setup(): void {
  exec.vu.metrics.tags.name = 'setup';
  waitForBegin(plan);
}

/** A VU's first request, before the window: one that is answered at once. */
export function touch(): void {
  http.get(`${baseUrl()}/`, { timeout: plan.timeout, responseType: 'none' });
}

export default function arrive(): void {
  beginArrival(plan.stages);
  exec.vu.metrics.tags.name = operation;
  const response = http.get(url, { timeout: plan.timeout, responseType: 'text' });
  if (response.status === 0) return; // a failed request, with its error code
  const reason = broken(response.status, response.body);
  check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

/** The mix has one operation: `op`, the path as it is, or `wait-100ms`, which says how long. */
function millisOf(operation: string): number | undefined {
  const found = /^wait-(\d+)ms$/.exec(operation);
  return found ? Number(found[1]) : undefined;
}

function query(operation: string): string {
  const millis = millisOf(operation);
  return millis === undefined ? '' : `?millis=${millis}`;
}

function broken(status: number, body: string | null): string {
  if (status !== 200) return `status ${status}`;
  return body === answer ? '' : 'body';
}

/** Requests that wait for a thread at the schedule's end are answered or time out; none is cut off. */
function patient(common: Options): Options {
  const arrivals = { ...common.scenarios?.arrivals, gracefulStop: plan.timeout } as Scenario;
  return { ...common, scenarios: { ...common.scenarios, arrivals } };
}
