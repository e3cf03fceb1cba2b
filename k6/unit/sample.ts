import { sampleMovie } from '../api/sample.ts';
import { expect } from './expect.ts';

const SEED = open('../../apps/movies/contract/seed.jsonl').trim().split('\n');

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

  const mean = SEED.reduce((sum, line) => sum + compact(line).length, 0) / SEED.length;
  const size = sampleMovie('Created 1234567').length;
  expect(
    "it is as long as the seed's movies are, within 3 %",
    Math.abs(size / mean - 1) < 0.03,
    true,
  );
}

function compact(line: string): string {
  return JSON.stringify(JSON.parse(line));
}
