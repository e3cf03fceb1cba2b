/**
 * A list of ids in one string, each padded to the longest. Every VU keeps its own copy of what setup()
 * found, and a thousand VUs with two thousand strings each would fill memory.
 */
export interface Ids {
  width: number;
  text: string;
}

export function pack(ids: string[]): Ids {
  const width = Math.max(0, ...ids.map((id) => id.length));
  return { width, text: ids.map((id) => id.padEnd(width)).join('') };
}

export function size(ids: Ids): number {
  return ids.width === 0 ? 0 : ids.text.length / ids.width;
}

export function at(ids: Ids, index: number): string {
  return ids.text.slice(index * ids.width, (index + 1) * ids.width).trimEnd();
}
