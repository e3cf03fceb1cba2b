// HdrHistogram's V2 encoding, compressed, in base64: what records hold of their latencies. The format is described in
// HdrHistogram's own Java sources (AbstractHistogram.encodeIntoCompressedByteBuffer); numbers are big-endian.

const COMPRESSED = 0x1c849304;
const PLAIN = 0x1c849303;
const KIND = ~0xf0; // of a cookie: the other bits say how wide a word is
const HEADER = 40;
const MOST_BYTES = 2_000_000; // inflated
const MOST_COUNTS = 200_000;

export class Histogram {
  readonly counts: Map<number, number>; // place -> how many
  readonly total: number;
  readonly #half: number; // magnitude of half a bucket's places

  constructor(counts: Map<number, number>, half: number) {
    this.counts = new Map([...counts].sort(([a], [b]) => a - b));
    this.total = [...counts.values()].reduce((sum, n) => sum + n, 0);
    this.#half = half;
  }

  /** The highest value that counts as the same as those at a place. */
  highest(place: number): number {
    const places = 2 ** this.#half;
    let bucket = Math.floor(place / places) - 1;
    let inside = (place % places) + places;
    if (bucket < 0) {
      inside -= places;
      bucket = 0;
    }
    return (inside + 1) * 2 ** bucket - 1;
  }

  /** The value that so many percent are at or below. */
  percentile(percent: number): number {
    const wanted = Math.max(1, Math.ceil(Math.round(percent * this.total * 1e4) / 1e6));
    let seen = 0;
    let last = 0;
    for (const [place, count] of this.counts) {
      seen += count;
      last = this.highest(place);
      if (seen >= wanted) break;
    }
    return last;
  }

  /** Steps of the distribution: value, and the share at or below it. */
  steps(): [number, number][] {
    let seen = 0;
    return [...this.counts].map(([place, count]) => {
      seen += count;
      return [this.highest(place), seen / this.total];
    });
  }

  /** Of several of the same kind, exactly. */
  static merged(all: readonly Histogram[]): Histogram {
    const sum = new Map<number, number>();
    for (const each of all) {
      for (const [place, count] of each.counts) sum.set(place, (sum.get(place) ?? 0) + count);
    }
    return new Histogram(sum, all[0] ? all[0].#half : 10);
  }
}

/** Throws RangeError for what isn't such a histogram. */
export async function decode(text: string): Promise<Histogram> {
  const packed = bytes(text);
  const outer = new DataView(packed.buffer);
  if (packed.length < 8 || (outer.getInt32(0) & KIND) !== COMPRESSED)
    throw new RangeError('no histogram');
  const length = outer.getInt32(4);
  if (length < 0 || length > packed.length - 8)
    throw new RangeError('a histogram that is cut short');
  const plain = await inflated(packed.subarray(8, 8 + length));
  const view = new DataView(plain.buffer, plain.byteOffset, plain.byteLength);
  if (plain.length < HEADER || (view.getInt32(0) & KIND) !== PLAIN)
    throw new RangeError('no histogram');
  const size = view.getInt32(4);
  const digits = view.getInt32(12);
  const lowest = view.getBigInt64(16);
  if (lowest !== 1n || digits < 1 || digits > 5 || size < 0 || size > plain.length - HEADER) {
    throw new RangeError('a histogram of another kind');
  }
  const magnitude = Math.ceil(Math.log2(2 * 10 ** digits));
  return new Histogram(counted(plain.subarray(HEADER, HEADER + size)), magnitude - 1);
}

/** ZigZag LEB128: a count, or less than zero for a run of places without any. */
function counted(payload: Uint8Array): Map<number, number> {
  const counts = new Map<number, number>();
  let at = 0;
  let place = 0;
  while (at < payload.length) {
    let value = 0;
    let scale = 1;
    for (let n = 0; ; n++) {
      const byte = payload[at++];
      if (byte === undefined || n > 8) throw new RangeError('a histogram that is cut short');
      value += n < 8 ? (byte & 0x7f) * scale : byte * scale; // the ninth byte has eight bits
      scale *= 128;
      if (n === 8 || !(byte & 0x80)) break;
    }
    const number = value % 2 ? -(value + 1) / 2 : value / 2;
    if (number < 0) place -= number;
    else {
      if (number > 0) counts.set(place, number);
      place += 1;
    }
    if (place > MOST_COUNTS) throw new RangeError('a histogram with too many places');
  }
  return counts;
}

function bytes(text: string): Uint8Array<ArrayBuffer> {
  let plain: string;
  try {
    plain = atob(text);
  } catch {
    throw new RangeError('no base64');
  }
  return Uint8Array.from(plain, (letter) => letter.charCodeAt(0));
}

async function inflated(packed: Uint8Array<ArrayBuffer>): Promise<Uint8Array<ArrayBuffer>> {
  const reader = new Blob([packed])
    .stream()
    .pipeThrough(new DecompressionStream('deflate'))
    .getReader();
  const parts: Uint8Array[] = [];
  let size = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      size += value.length;
      if (size > MOST_BYTES) throw new RangeError('a histogram that is too large');
      parts.push(value);
    }
  } catch (error) {
    throw error instanceof RangeError ? error : new RangeError('a histogram that is cut short');
  }
  const whole = new Uint8Array(size);
  let at = 0;
  for (const part of parts) {
    whole.set(part, at);
    at += part.length;
  }
  return whole;
}
