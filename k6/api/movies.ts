import { check } from 'k6';
import http, { type Params, type RefinedResponse } from 'k6/http';
import {
  brokenCreation,
  brokenMovie,
  brokenPage,
  brokenRemoval,
  createdId,
  idsOf,
} from './contract.ts';

type Response = RefinedResponse<'text'>;

/**
 * The movie API. Each answer is held against the contract: one check, whose failures carry
 * a `reason` tag. A request without an answer (timed out, refused) isn't judged: it is a
 * failed request, with its error code.
 */
export class Movies {
  private readonly url: string;
  private readonly params: Params & { responseType: 'text' };
  private readonly sending: Params & { responseType: 'text' };

  constructor(baseUrl: string, timeout: string) {
    this.url = `${baseUrl}/movies`;
    this.params = { timeout, responseType: 'text' };
    this.sending = { ...this.params, headers: { 'Content-Type': 'application/json' } };
  }

  get(id: string): void {
    const response = http.get(`${this.url}/${id}`, this.params);
    judge(response, () => brokenMovie(response, id));
  }

  /** A page whose movies are known. */
  list(page: number, expected: readonly string[]): void {
    const response = http.get(`${this.url}?page=${page}`, this.params);
    judge(response, () => brokenPage(response, expected));
  }

  /** The ids on a page nobody knows yet. */
  discover(page: number): string[] {
    const response = http.get(`${this.url}?page=${page}`, this.params);
    const ids = response.body ? idsOf(response.body) : [];
    const reason = brokenPage(response, ids);
    if (reason) throw new Error(`page ${page}: ${reason} ${response.error}`);
    return ids;
  }

  /** The new movie's id, or '' when there is none. */
  create(movie: string): string {
    const response = http.post(this.url, movie, this.sending);
    const kept = judge(response, () => brokenCreation(response));
    return kept ? createdId(response) : '';
  }

  update(id: string, movie: string): void {
    const response = http.put(`${this.url}/${id}`, movie, this.sending);
    judge(response, () => brokenMovie(response, id));
  }

  rate(id: string, rating: number): void {
    const body = JSON.stringify({ rating });
    const response = http.patch(`${this.url}/${id}/rating`, body, this.sending);
    judge(response, () => brokenMovie(response, id));
  }

  remove(id: string): void {
    const response = http.del(`${this.url}/${id}`, null, this.params);
    judge(response, () => brokenRemoval(response));
  }
}

function judge(response: Response, verdict: () => string): boolean {
  if (response.status === 0) return false;
  const reason = verdict();
  return check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}
