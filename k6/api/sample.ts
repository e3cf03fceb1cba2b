/** A movie to create, as JSON: a title of its own, and all else like an average movie of the seed. */
export function sampleMovie(title: string): string {
  return `{"title":"${title}",${REST}`;
}

/** Made once: only the title differs, and building JSON costs the generator CPU. */
const REST = JSON.stringify({
  releasedYear: 1994,
  certificate: 'PG',
  runtimeMinutes: 121,
  genre: 'Crime, Drama, Music',
  rating: 7.5,
  overview: 'All that is told here was written for a benchmark. '.repeat(3).slice(0, 146),
  metaScore: 77,
  director: 'Made For Telling',
  star1: 'Leading Ladyship',
  star2: 'Leading Mannish',
  star3: 'Comical Relieve',
  star4: 'Villainous Foes',
  votes: 271828,
  gross: 31415926,
  posterUrl: `https://posters.example/images/${'Telar'.repeat(23)}.jpg`,
}).slice(1);
