import { check } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';
import { path } from './paths.ts';

export const options = { vus: 1000, iterations: 1 }; // Telar's own are used in their stead

export function setup() {
  for (let n = 0; n < 200; n++) http.get(`${__ENV.TELAR_BASE_URL}${path}`, { tags: { name: 'hello' } });
  return { word: 'hello' };
}

export default function ({ word }: { word: string }) {
  exec.vu.metrics.tags.name = 'hello';
  const response = http.get(`${__ENV.TELAR_BASE_URL}${path}`, { timeout: '2s' });
  check(response, { 'a greeting': (r) => r.body === `${word}\n` });
}
