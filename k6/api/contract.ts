/**
 * What is wrong with an answer, in a few words, or '' when it is what the contract says.
 * These checks run on every answer, on the processors where the service runs, so they read a few bytes:
 * as strings, bodies with a letter outside ASCII took half of the generator's CPU. A few bytes will do,
 * because the contract fixes the order of a movie's fields, and setup() has read every page whole.
 */

export interface Answer {
  status: number;
  headers: Record<string, string>;
  body: ArrayBuffer | null;
}

/** A page that the run doesn't change: the id of its first movie, and its size. */
export interface Page {
  first: string;
  bytes: number;
}

/** The movie with this id. */
export function brokenMovie(answer: Answer, id: string): string {
  return broken(answer, 200) || brokenBody(answer.body, id);
}

/** The page as it was when it was read first. */
export function brokenPage(answer: Answer, page: Page): string {
  const reason = broken(answer, 200);
  if (reason) return reason;
  if (answer.body?.byteLength !== page.bytes) return 'length';
  return begins(answer.body, `[{"id":"${page.first}",`) && ends(answer.body, '}]') ? '' : 'body';
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
  return answer.body?.byteLength ? 'body' : '';
}

/** The id in the Location of a creation, '' if there is none. */
export function createdId(answer: Answer): string {
  const location = answer.headers.Location ?? '';
  return location.startsWith('/movies/') ? location.slice('/movies/'.length) : '';
}

/** Status and content type of an answer that has a movie or more. */
export function broken(answer: Omit<Answer, 'body'>, status: number): string {
  if (answer.status !== status) return `status ${answer.status}`;
  return answer.headers['Content-Type'] === 'application/json' ? '' : 'content type';
}

function brokenBody(body: ArrayBuffer | null, id: string): string {
  return begins(body, `{"id":"${id}","title":"`) && ends(body, '}') ? '' : 'body';
}

function begins(body: ArrayBuffer | null, text: string): boolean {
  return body !== null && ascii(body, 0, text.length) === text;
}

function ends(body: ArrayBuffer | null, text: string): boolean {
  return body !== null && ascii(body, body.byteLength - text.length, text.length) === text;
}

/** A stretch of the body as a string, '' where the body has no such stretch. */
function ascii(body: ArrayBuffer, start: number, length: number): string {
  if (start < 0 || start + length > body.byteLength) return '';
  // A spread would go through an iterator: twice the cost of all else in this file.
  return Reflect.apply(String.fromCharCode, null, new Uint8Array(body, start, length));
}
