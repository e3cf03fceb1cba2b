import exec from 'k6/execution';
import http, { type RefinedResponse } from 'k6/http';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { brokenHead, judge } from './answer.ts';
import { plan, url } from './common.ts';

export { summaryOf as handleSummary } from '../../../k6/lib/summary.ts';
export { options, setup, touch } from './common.ts';

const PATH = '/location/';
const REST = ',"description":"Made by a run.","latitude":40.4168,"longitude":-3.7038}';
const SENDING = { 'Content-Type': 'application/json' };

export default function arrive(): void {
  const name = `"name":"Created ${beginArrival(plan.stages)}"`;
  exec.vu.metrics.tags.name = 'create';
  const response = http.post(url, `{${name}${REST}`, {
    timeout: plan.timeout,
    responseType: 'text',
    headers: SENDING,
  });
  judge(response, () => broken(response, name));
}

/** The new location whole, under the number that its path has. */
function broken(response: RefinedResponse<'text'>, name: string): string {
  const reason = brokenHead(response, 201);
  if (reason) return reason;
  const path = response.headers.Location ?? '';
  if (!path.startsWith(PATH)) return 'location';
  return response.body === `{"id":${path.slice(PATH.length)},${name}${REST}` ? '' : 'body';
}
