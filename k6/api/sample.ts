/** A movie to create, as JSON: a title of its own, and all else like an average movie of the seed. */
export function sampleMovie(title: string): string {
  return `{"title":"${title}",${REST}`;
}

/** Made once: only the title differs, and building JSON costs the generator CPU. */
const REST = JSON.stringify({
  releasedYear: 1994,
  certificate: 'PG-13',
  runtimeMinutes: 121,
  genre: 'Adventure, Drama',
  rating: 7.5,
  overview: 'x'.repeat(146),
  metaScore: 77,
  director: 'Made By Telar',
  star1: 'Leading Lady',
  star2: 'Leading Man',
  star3: 'Comic Relief',
  star4: 'Villain Known',
  votes: 271828,
  gross: 31415926,
  posterUrl: `https://posters.example/${'x'.repeat(80)}.jpg`,
}).slice(1);
