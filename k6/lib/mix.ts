import { hash, shuffle } from './random.ts';

export type Mix = Record<string, number>;

/** Arrivals after which the mix has been dealt exactly once. */
export function blockSize(mix: Mix): number {
  return Object.values(mix).reduce((sum, share) => sum + share, 0);
}

/**
 * The order of operations, one string a block: character `c` stands for the c-th operation of the mix.
 * There is room for at least one arrival more than planned, so rounding can't run past the end.
 */
export function deal(seed: number, mix: Mix, arrivals: number): string[] {
  const cards = Object.values(mix).flatMap((share, operation) => Array(share).fill(operation));
  const blocks = Math.floor(arrivals / cards.length) + 1;
  return Array.from({ length: blocks }, (_, block) => shuffle(hash(seed, block), cards).join(''));
}

/** Which operation each arrival performs, read from the dealt blocks. */
export class Sequence<Operation extends string> {
  private readonly operations: Operation[];
  private readonly size: number;
  private readonly mix: Record<Operation, number>;
  private readonly blocks: readonly string[];

  constructor(mix: Record<Operation, number>, blocks: readonly string[]) {
    this.mix = mix;
    this.blocks = blocks;
    this.operations = Object.keys(mix) as Operation[];
    this.size = blockSize(mix);
  }

  operation(arrival: number): Operation {
    return this.operations[Number(this.block(arrival)[arrival % this.size])] as Operation;
  }

  /** How many arrivals before this one perform the same operation. */
  earlier(arrival: number): number {
    const operation = this.operation(arrival);
    const dealt = this.block(arrival).slice(0, arrival % this.size);
    const same = dealt.split(String(this.operations.indexOf(operation))).length - 1;
    return Math.floor(arrival / this.size) * this.mix[operation] + same;
  }

  /** How many times the blocks hold an operation. */
  total(operation: Operation): number {
    return this.blocks.length * this.mix[operation];
  }

  private block(arrival: number): string {
    return this.blocks[Math.floor(arrival / this.size)] as string;
  }
}
