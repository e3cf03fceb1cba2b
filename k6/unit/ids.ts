import { at, pack, size } from '../lib/ids.ts';
import { expect } from './expect.ts';

export function idsTests(): void {
  const ids = ['1', '20', '300', '4'];
  const packed = pack(ids);

  expect('packed ids keep their number', size(packed), 4);
  expect(
    'packed ids come out as they went in',
    ids.map((_, place) => at(packed, place)),
    ids,
  );
  expect('no ids have no size', size(pack([])), 0);
}
