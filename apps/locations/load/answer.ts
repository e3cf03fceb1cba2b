import { check } from 'k6';
import type { RefinedResponse } from 'k6/http';

/**
 * One check of an answer, whose failures carry a `reason` tag. A request without an answer (timed out, refused)
 * isn't judged: it is a failed request, with its error code.
 */
export function judge(response: RefinedResponse<'text'>, broken: () => string): void {
  if (response.status === 0) return;
  const reason = broken();
  check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

/** What is wrong with status and content type, in a few words, or ''. */
export function brokenHead(response: RefinedResponse<'text'>, status: number): string {
  if (response.status !== status) return `status ${response.status}`;
  return response.headers['Content-Type'] === 'application/json' ? '' : 'content type';
}
