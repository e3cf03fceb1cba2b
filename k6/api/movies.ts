import { check } from 'k6';
import http, { type Params, type RefinedResponse } from 'k6/http';
import {
  broken,
  brokenCreation,
  brokenMovie,
  brokenPage,
  brokenRemoval,
  createdId,
  type Page,
} from './contract.ts';

/** What is read before the run: a page's ids, and its size. */
export interface Listing {
  ids: string[];
  bytes: number;
}

/**
 * The movie API. Each answer is held against the contract: one check, whose failures carry a `reason` tag.
 * A request without an answer (timed out, refused) isn't judged: it is a failed request, with its error code.
 */
export class Movies {
  private readonly url: string;
  private readonly timeout: string;
  private readonly params: Params & { responseType: 'binary' };
  private readonly sending: Params & { responseType: 'binary' };

  constructor(baseUrl: string, timeout: string) {
    this.url = `${baseUrl}/movies`;
    this.timeout = timeout;
    this.params = { timeout, responseType: 'binary' };
    this.sending = { ...this.params, headers: { 'Content-Type': 'application/json' } };
  }

  get(id: string): void {
    const response = http.get(`${this.url}/${id}`, this.params);
    judge(response, () => brokenMovie(response, id));
  }

  /** A page whose content is known. */
  list(number: number, page: Page): void {
    const response = http.get(`${this.url}?page=${number}`, this.params);
    judge(response, () => brokenPage(response, page));
  }

  /** A page whose content isn't known yet: read whole, or an exception. */
  discover(number: number): Listing {
    const params: Params & { responseType: 'text' } = {
      timeout: this.timeout,
      responseType: 'text',
    };
    const response = http.get(`${this.url}?page=${number}`, params);
    const reason = response.error || broken(response, 200);
    if (reason) throw new Error(`page ${number}: ${reason}`);
    const movies = JSON.parse(response.body) as { id: string }[];
    return { ids: movies.map((movie) => movie.id), bytes: utf8Length(response.body) };
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

function judge(response: RefinedResponse<'binary'>, verdict: () => string): boolean {
  if (response.status === 0) return false;
  const reason = verdict();
  return check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

function utf8Length(text: string): number {
  return encodeURIComponent(text).replace(/%../g, '.').length;
}
