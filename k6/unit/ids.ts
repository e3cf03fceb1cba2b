import { at, pack, size, slice } from '../lib/ids.ts';
import { expect } from './expect.ts';

export function idsTests(): void {
  const ids = ['1', '20', '300', '4'];
  const packed = pack(ids);

  expect('packed ids keep their number', size(packed), 4);
  expect('packed ids come out as they went in', slice(packed, 0, 4), ids);
  expect('an id is found by its place', at(packed, 2), '300');
  expect('no ids have no size', size(pack([])), 0);
}
