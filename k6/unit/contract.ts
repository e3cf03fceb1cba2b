import {
  type Answer,
  brokenCreation,
  brokenMovie,
  brokenPage,
  brokenRemoval,
  createdId,
} from '../api/contract.ts';
import { expect } from './expect.ts';

const JSON_TYPE = { 'Content-Type': 'application/json' };
const CREATED = { ...JSON_TYPE, Location: '/movies/8' };

const movie = (id: string) => `{"id":"${id}","title":"Say \\"{\\"id\\":\\"9\\"","rating":null}`;
const answer = (status: number, headers: Record<string, string>, body: string): Answer => ({
  status,
  headers,
  body: new Uint8Array(Array.from(body, (letter) => letter.charCodeAt(0))).buffer,
});
const problem = answer(404, { 'Content-Type': 'application/problem+json' }, '{"status":404}');

export function contractTests(): void {
  movieTests();
  pageTests();
  creationTests();
  removalTests();
}

function movieTests(): void {
  const reason = (given: Answer) => brokenMovie(given, '8');

  expect('a movie with its id is right', reason(answer(200, JSON_TYPE, movie('8'))), '');
  expect('a missing movie is a wrong status', reason(problem), 'status 404');
  expect('another movie is a wrong body', reason(answer(200, JSON_TYPE, movie('80'))), 'body');
  expect('an empty body is wrong', reason(answer(200, JSON_TYPE, '')), 'body');
  expect(
    'a movie cut short is wrong',
    reason(answer(200, JSON_TYPE, '{"id":"8","title":"')),
    'body',
  );
  const charset = { 'Content-Type': 'application/json;charset=UTF-8' };
  expect('a charset is wrong', reason(answer(200, charset, movie('8'))), 'content type');
}

function pageTests(): void {
  const page = (...ids: string[]) => `[${ids.map(movie).join()}]`;
  const expected = { first: '1', bytes: page('1', '2').length };
  const reason = (body: string) => brokenPage(answer(200, JSON_TYPE, body), expected);

  expect('a page like the one expected is right', reason(page('1', '2')), '');
  expect('an empty page is wrong', reason('[]'), 'length');
  expect('a page with a movie less is wrong', reason(page('1')), 'length');
  expect('a page that begins with another movie is wrong', reason(page('3', '4')), 'body');
  expect('an error is no page', brokenPage(problem, expected), 'status 404');
}

function creationTests(): void {
  const reason = brokenCreation;

  expect('a new movie at its place is right', reason(answer(201, CREATED, movie('8'))), '');
  expect(
    'a new movie answered with 200 is wrong',
    reason(answer(200, CREATED, movie('8'))),
    'status 200',
  );
  expect(
    'a new movie without a place is wrong',
    reason(answer(201, JSON_TYPE, movie('8'))),
    'location',
  );
  expect(
    'a place that is another movie is wrong',
    reason(answer(201, CREATED, movie('9'))),
    'body',
  );
  expect('the new id is the end of its place', createdId(answer(201, CREATED, '')), '8');
}

function removalTests(): void {
  expect('gone without a word is right', brokenRemoval({ ...answer(204, {}, ''), body: null }), '');
  expect('an empty body is right too', brokenRemoval(answer(204, {}, '')), '');
  expect('a body after a removal is wrong', brokenRemoval(answer(204, {}, 'gone')), 'body');
  expect('removing what is not there is wrong', brokenRemoval(problem), 'status 404');
}
