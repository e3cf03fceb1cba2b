import exec from 'k6/execution';
import http from 'k6/http';
import { optionsFor } from '../../../k6/lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../../../k6/lib/plan.ts';

export const plan = readPlan();
export const url = `${baseUrl()}/location`;
export const options = optionsFor(plan);

/** What GET /location/1 answers before the load: nothing in a run changes that row. */
export function setup(): string {
  exec.vu.metrics.tags.name = 'setup';
  const response = http.get(`${url}/1`, { timeout: '10s', responseType: 'text' });
  if (response.status !== 200)
    throw new Error(`GET ${url}/1: ${response.status || response.error}`);
  waitForBegin(plan);
  return response.body;
}

/** A VU's first request, before the window. */
export function touch(): void {
  http.get(`${url}/1`, { timeout: '10s', responseType: 'none' });
}
