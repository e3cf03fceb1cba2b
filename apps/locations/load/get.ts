import exec from 'k6/execution';
import http, { type RefinedResponse } from 'k6/http';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { brokenHead, judge } from './answer.ts';
import { plan, url } from './common.ts';

export { summaryOf as handleSummary } from '../../../k6/lib/summary.ts';
export { options, setup, touch } from './common.ts';

/** The same location each time, as in the article that the workload is from. */
export default function arrive(expected: string): void {
  beginArrival(plan.stages);
  exec.vu.metrics.tags.name = 'get';
  const response = http.get(`${url}/1`, { timeout: plan.timeout, responseType: 'text' });
  judge(response, () => broken(response, expected));
}

function broken(response: RefinedResponse<'text'>, expected: string): string {
  return brokenHead(response, 200) || (response.body === expected ? '' : 'body');
}
