import { describe, expect, it } from 'vitest';
import { changed, link, read } from '../../src/state.ts';

describe('the state in the URL', () => {
  it('comes back as it went in', () => {
    const made = link('trend', {
      metric: 'p99',
      series: ['a+b', 'c&d=e', '<i>'],
      scale: undefined,
    });
    const state = read(made);
    expect(state.page).toBe('trend');
    expect(state.params.get('metric')).toBe('p99');
    expect(state.params.getAll('series')).toEqual(['a+b', 'c&d=e', '<i>']);
    expect(state.params.has('scale')).toBe(false);
  });

  it('begins with the overview', () => {
    for (const hash of ['', '#', '#/']) expect(read(hash).page).toBe('overview');
  });

  it('changes one thing and leaves the others', () => {
    const state = read('#/trend?metric=p99&series=a&series=b&range=all');
    const next = read(changed(state, { metric: 'p50', range: undefined }));
    expect(next.params.get('metric')).toBe('p50');
    expect(next.params.getAll('series')).toEqual(['a', 'b']);
    expect(next.params.has('range')).toBe(false);
  });
});
