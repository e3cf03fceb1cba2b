import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { optionsFor } from '../../../k6/lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../../../k6/lib/plan.ts';

export { summaryOf as handleSummary } from '../../../k6/lib/summary.ts';

const plan = readPlan();
const url = `${baseUrl()}/remote?millis=2`;

export const options = optionsFor(plan);

export function setup(): void {
  exec.vu.metrics.tags.name = 'setup';
  waitForBegin(plan);
}

/** A VU's first request, before the window. */
export function touch(): void {
  http.get(`${baseUrl()}/remote`, { timeout: plan.timeout, responseType: 'none' });
}

export default function arrive(): void {
  beginArrival(plan.stages);
  exec.vu.metrics.tags.name = 'remote';
  const response = http.get(url, { timeout: plan.timeout, responseType: 'text' });
  if (response.status === 0) return; // a failed request, with its error code
  const reason = broken(response.status, response.body);
  check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

function broken(status: number, body: string | null): string {
  if (status !== 200) return `status ${status}`;
  return body === '{"millis":2}' ? '' : 'body';
}
