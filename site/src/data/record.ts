// A record, checked against its schema, and what the pages make of it.

import schema from '../../../benchmarks-data/schema/record-2.json';
import type { Record as RecordOf, Stage } from '../generated/record.ts';
import { check, Misfit } from './check.ts';
import { decode, Histogram } from './histogram.ts';
import { DataError } from './store.ts';

const DEFINITIONS = schema.$defs as unknown as Record<string, Record<string, unknown>>;

export type { RecordOf };

export function checked(value: unknown): RecordOf {
  try {
    check(value, { $ref: schema.$ref }, DEFINITIONS);
  } catch (error) {
    if (!(error instanceof Misfit)) throw error;
    throw new DataError(`the record isn't one of this version: ${error.message}`);
  }
  return value as RecordOf;
}

/** Latencies in microseconds: of one stage and endpoint, or of all. Null where there are none. */
export async function latencies(
  record: RecordOf,
  stage?: string,
  endpoint?: string,
): Promise<Histogram | null> {
  const own = (record.latencies ?? []).filter(
    (l) => l.count > 0 && (!stage || l.stage === stage) && (!endpoint || l.endpoint === endpoint),
  );
  try {
    const found = await Promise.all(own.map((l) => decode(l.histogram)));
    return found.length ? Histogram.merged(found) : null;
  } catch (error) {
    throw new DataError(`the record holds ${(error as Error).message}`);
  }
}

export interface LoadPoint {
  rate: number; // offered, in the mean of the stage
  held: boolean; // the same from its start to its end
  p50: number; // milliseconds
  p99: number;
}

/** Latency by offered rate: a point a stage. */
export async function loadCurve(record: RecordOf): Promise<LoadPoint[]> {
  const stages: readonly Stage[] = record.load?.stages ?? [];
  const found = await Promise.all(
    stages.map(async (stage) => {
      const own = await latencies(record, stage.name);
      return own
        ? {
            rate: (stage.from_rate + stage.to_rate) / 2,
            held: stage.from_rate === stage.to_rate,
            p50: own.percentile(50) / 1000,
            p99: own.percentile(99) / 1000,
          }
        : null;
    }),
  );
  return found.filter((p) => p !== null).sort((a, b) => a.rate - b.rate);
}

/** The highest held rate up to which p99 stayed under the limit; null where it never did. */
export function capacity(points: readonly LoadPoint[], limitMs: number): number | null {
  let best: number | null = null;
  for (const point of points) {
    if (point.p99 > limitMs) break;
    if (point.held) best = point.rate;
  }
  return best;
}
