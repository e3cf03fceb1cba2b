/**
 * What is wrong with an answer, in a few words, or '' when it is what the contract says.
 * The checks run on every answer, so they look at the bytes and parse nothing. That is sound, because the
 * contract fixes the order of a movie's fields and a quote inside a JSON string is always escaped.
 */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: unknown;
}

/** The movie with this id. */
export function brokenMovie(answer: Answer, id: string): string {
  return broken(answer, 200) || brokenBody(answer.body, id);
}

/** A page: its movies have these ids, in this order. */
export function brokenPage(answer: Answer, ids: readonly string[]): string {
  const reason = broken(answer, 200);
  if (reason) return reason;
  const page = answer.body as string | null;
  if (!page?.startsWith('[') || !page.endsWith(']')) return 'body';
  const found = idsOf(page);
  if (found.length !== ids.length) return `${found.length} movies`;
  return found.every((id, index) => id === ids[index]) ? '' : 'ids';
}

/** A new movie, and where it is. */
export function brokenCreation(answer: Answer): string {
  const reason = broken(answer, 201);
  if (reason) return reason;
  const id = createdId(answer);
  return id ? brokenBody(answer.body, id) : 'location';
}

/** Gone, and nothing more to say. */
export function brokenRemoval(answer: Answer): string {
  if (answer.status !== 204) return `status ${answer.status}`;
  return answer.body ? 'body' : '';
}

/** The ids of a page's movies. */
export function idsOf(page: string): string[] {
  const movies = page.split('{"id":"').slice(1);
  return movies.map((movie) => movie.slice(0, movie.indexOf('"')));
}

/** The id in the Location of a creation, '' if there is none. */
export function createdId(answer: Answer): string {
  const location = answer.headers.Location ?? '';
  return location.startsWith('/movies/') ? location.slice('/movies/'.length) : '';
}

function broken(answer: Answer, status: number): string {
  if (answer.status !== status) return `status ${answer.status}`;
  return answer.headers['Content-Type'] === 'application/json' ? '' : 'content type';
}

function brokenBody(body: unknown, id: string): string {
  const movie = body as string | null;
  return movie?.startsWith(`{"id":"${id}","title":"`) && movie.endsWith('}') ? '' : 'body';
}
