import { sampleMovie } from '../api/sample.ts';
import { expect } from './expect.ts';

const FIELDS = [
  'title',
  'releasedYear',
  'certificate',
  'runtimeMinutes',
  'genre',
  'rating',
  'overview',
  'metaScore',
  'director',
  'star1',
  'star2',
  'star3',
  'star4',
  'votes',
  'gross',
  'posterUrl',
];

export function sampleTests(): void {
  const movie = JSON.parse(sampleMovie('A Title'));

  expect('a sample movie has the title asked for', movie.title, 'A Title');
  expect('a sample movie has the fields of the contract', Object.keys(movie), FIELDS);
}
