// The door to the published store: each file is fetched once, checked against its schema, and kept.

import schema from '../../../benchmarks-data/schema/published-1.json';
import type {
  Evidence,
  Index,
  Kept,
  Line,
  Now,
  Report,
  Sessions,
  Shard,
} from '../generated/published.ts';
import { check, Misfit } from './check.ts';

export class DataError extends Error {}

const DEFINITIONS = schema.$defs as unknown as Record<string, Record<string, unknown>>;

/** A report in one file has its data in it: by path, each file's text. */
function enclosed(): Map<string, string> | null {
  const text = document.querySelector('script#data')?.textContent;
  return text ? new Map(Object.entries(JSON.parse(text) as Record<string, string>)) : null;
}

const PACKED = '.gz';

/** Whatever the server says of the file's encoding: a browser that has undone it leaves nothing to undo. */
async function unpacked(answer: Response): Promise<unknown> {
  const bytes = new Uint8Array(await answer.arrayBuffer());
  const whole = bytes[0] === 0x1f && bytes[1] === 0x8b;
  const stream = new Blob([bytes]).stream();
  const plain = whole ? stream.pipeThrough(new DecompressionStream('gzip')) : stream;
  return new Response(plain).json();
}

const runPath = (month: string, session: string, name: string) =>
  ['runs', month, session, name].map(encodeURIComponent).join('/');

export class Store {
  readonly #base: string;
  readonly #kept = new Map<string, Promise<unknown>>();
  readonly #enclosed: Map<string, string> | null;

  constructor(base = 'data/', own = enclosed()) {
    this.#base = base;
    this.#enclosed = own;
  }

  /** Where the feed of what shifted is; a report in one file has none. */
  get feed(): string | null {
    return this.#enclosed ? null : `${this.#base}feed.atom`;
  }

  index(): Promise<Index> {
    return this.#get('index.json', 'Index', 'no-cache');
  }

  async now(): Promise<Now> {
    const { now } = await this.index();
    if (!now) throw new DataError('nothing was published yet: telar publish');
    return this.#get(now, 'Now');
  }

  async months(): Promise<string[]> {
    return Object.keys((await this.index()).months).sort();
  }

  /** A month's points of a metric. What is old lies in one file a year: its months share one shard. */
  async shard(month: string, metric: string): Promise<Shard | null> {
    const path = (await this.index()).months[month]?.points[metric];
    return path ? this.#get<Shard>(path, 'Shard') : null;
  }

  /** A month's sessions, and what is known of its commits; null where it has none. */
  async month(month: string): Promise<Sessions | null> {
    const path = (await this.index()).months[month]?.sessions;
    return path ? this.#get<Sessions>(path, 'Sessions') : null;
  }

  async sessions(month: string): Promise<Sessions['sessions']> {
    return (await this.month(month))?.sessions ?? [];
  }

  /** What was found by comparing, newest first. */
  async findings(): Promise<Line[]> {
    const path = (await this.index()).evidence;
    return path ? (await this.#get<{ lines: Line[] }>(path, 'Listing')).lines : [];
  }

  evidence(line: Line): Promise<Evidence> {
    return this.#get(line.file, 'Evidence');
  }

  /** What these pages are the report of; null where they show a history. */
  async report(): Promise<Report | null> {
    const { report } = await this.index();
    return report ? this.#get(report, 'Report') : null;
  }

  /** A record, as it is: it is checked by whoever shows it. */
  record(month: string, session: string, name: string, kept: Kept): Promise<unknown> {
    return this.#load(runPath(month, session, name), 'default', kept.packed);
  }

  /** Where a record can be had as a file, and what the file is called. */
  address(month: string, session: string, name: string, kept: Kept): [string, string] {
    const path = runPath(month, session, name);
    const text = this.#enclosed?.get(path);
    const end = kept.packed ? PACKED : '';
    return text === undefined
      ? [this.#base + path + end, name + end]
      : [URL.createObjectURL(new Blob([text], { type: 'application/json' })), name];
  }

  #get<T>(path: string, kind: string, cache: RequestCache = 'default'): Promise<T> {
    const kept = this.#kept.get(path);
    if (kept) return kept as Promise<T>;
    const found = this.#load(path, cache).then((value) => {
      try {
        check(value, DEFINITIONS[kind] ?? {}, DEFINITIONS);
      } catch (error) {
        if (!(error instanceof Misfit)) throw error;
        const other = (value as { format?: unknown } | null)?.format;
        const hint = other !== 1 ? ' It may be of another version of Telar than these pages.' : '';
        throw new DataError(`data/${path} isn't what it should be: ${error.message}.${hint}`);
      }
      return value as T;
    });
    this.#kept.set(path, found);
    found.catch(() => this.#kept.delete(path)); // asked again, it is fetched again
    return found;
  }

  async #load(plain: string, cache: RequestCache, packed = false): Promise<unknown> {
    const path = plain + (packed ? PACKED : '');
    if (this.#enclosed) {
      const text = this.#enclosed.get(plain);
      if (text === undefined) throw new DataError(`data/${path} isn't in this report`);
      return JSON.parse(text);
    }
    let answer: Response;
    try {
      answer = await fetch(this.#base + path, { cache, credentials: 'omit' });
    } catch {
      throw new DataError(`data/${path} can't be reached`);
    }
    if (!answer.ok)
      throw new DataError(`data/${path} can't be had: the server says ${answer.status}`);
    try {
      return await (packed ? unpacked(answer) : answer.json());
    } catch {
      throw new DataError(`data/${path} is no JSON`);
    }
  }
}
