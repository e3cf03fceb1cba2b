import { blockSize, deal, Sequence } from '../lib/mix.ts';
import { expect } from './expect.ts';

const MIX = { get: 70, list: 20, create: 9, delete: 1 };

export function mixTests(): void {
  const blocks = deal(1, MIX, 88_500);
  const sequence = new Sequence(MIX, blocks);
  const dealt = Array.from({ length: 88_500 }, (_, arrival) => sequence.operation(arrival));
  const count = (operation: string, of: string[]) => of.filter((one) => one === operation).length;

  expect('the thesis mix is dealt in blocks of a hundred', blockSize(MIX), 100);
  expect(
    'an arrival more than planned finds an operation',
    sequence.operation(88_500) in MIX,
    true,
  );
  expect(
    'the whole ramp has the mix exactly',
    Object.keys(MIX).map((operation) => count(operation, dealt)),
    [61_950, 17_700, 7_965, 885],
  );
  expect(
    'so has every block',
    blocks.every(
      (_, block) =>
        count('list', dealt.slice(block * 100, block * 100 + 100)) === 20 || block === 885,
    ),
    true,
  );
  expect('blocks differ in order', new Set(blocks).size, blocks.length);
  expect('another seed deals another order', deal(2, MIX, 100)[0] === blocks[0], false);
  expect('a longer run begins as the shorter one', deal(1, MIX, 200), blocks.slice(0, 3));

  const deletes = dealt.flatMap((operation, arrival) => (operation === 'delete' ? [arrival] : []));
  expect(
    'the deletes are numbered one after the other',
    deletes.map((arrival) => sequence.earlier(arrival)),
    deletes.map((_, k) => k),
  );
  expect('there is a movie for each delete', sequence.total('delete') >= deletes.length, true);
}
