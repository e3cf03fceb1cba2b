import { check, sleep } from 'k6';
import exec from 'k6/execution';
import http from 'k6/http';

/** One arrival: somebody logs in, is sent to a page, reads it for a moment, and looks at an item. */
export default function () {
  const n = exec.scenario.iterationInTest;
  const base = __ENV.TELAR_BASE_URL;
  exec.vu.metrics.tags.name = 'login';
  const page = http.post(`${base}/login`, { user: `user-${n % 100}`, page: `${n % 25}` });
  check(page, { 'a page of twenty': (r) => (r.json('items') as unknown[]).length === 20 });
  sleep(0.1);
  exec.vu.metrics.tags.name = 'item';
  const item = http.get(`${base}/items/${1 + (n % 500)}`);
  check(item, { 'an item': (r) => r.json('id') === 1 + (n % 500) });
}
