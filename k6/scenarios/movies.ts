import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import { Movies } from '../api/movies.ts';
import { sampleMovie } from '../api/sample.ts';
import { beginArrival } from '../lib/arrival.ts';
import { at, type Ids, pack, size } from '../lib/ids.ts';
import { deal, Sequence } from '../lib/mix.ts';
import { optionsFor } from '../lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../lib/plan.ts';
import { pick } from '../lib/random.ts';
import { arrivals } from '../lib/schedule.ts';
import { summaryOf } from '../lib/summary.ts';

type Operation = 'get' | 'list' | 'create' | 'delete';

const PAGE = 20;

const plan = readPlan();
const movies = new Movies(baseUrl(), plan.timeout);
/** For what isn't measured: a machine that stands still for a moment must not end the run before it began. */
const patient = new Movies(baseUrl(), '10s');
const blocks = new SharedArray('blocks', () => deal(plan.seed, plan.mix, arrivals(plan.stages)));
const sequence = new Sequence(plan.mix as Record<Operation, number>, blocks);

export const options = optionsFor(plan);
export const handleSummary = summaryOf;

interface Found {
  /** There before the run; nothing in the run changes or deletes them. */
  seed: Ids;
  /** The size in bytes of each page full of seed movies. */
  pages: number[];
  /** Made for this run to delete, the k-th for the k-th delete. */
  doomed: Ids;
}

export function setup(): Found {
  exec.vu.metrics.tags.name = 'setup-list';
  const { ids, pages } = discover();
  exec.vu.metrics.tags.name = 'setup-create';
  const doomed = Array.from({ length: sequence.total('delete') }, (_, k) => create(`Doomed ${k}`));
  waitForBegin(plan);
  return { seed: pack(ids), pages, doomed: pack(doomed) };
}

/** A VU's first request, before the window. */
export function touch({ seed }: Found): void {
  patient.get(at(seed, exec.scenario.iterationInTest % size(seed)));
}

export default function arrive(found: Found): void {
  const arrival = beginArrival(plan.stages);
  const operation = sequence.operation(arrival);
  exec.vu.metrics.tags.name = operation;
  perform[operation](arrival, found);
}

/** Which movie or page it is depends on the arrival's number alone, so every arm sees the same. */
const perform: Record<Operation, (arrival: number, found: Found) => void> = {
  get(arrival, { seed }) {
    movies.get(at(seed, pick(plan.seed, arrival, size(seed))));
  },
  /** Only the pages full of seed movies: what the run creates and deletes comes after them. */
  list(arrival, { seed, pages }) {
    const page = pick(plan.seed, arrival, pages.length);
    movies.list(page, { first: at(seed, page * PAGE), bytes: pages[page] as number });
  },
  create(arrival) {
    movies.create(sampleMovie(`Created ${arrival}`));
  },
  delete(arrival, { doomed }) {
    movies.remove(at(doomed, sequence.earlier(arrival)));
  },
};

/** The movies page by page: as many as the plan says were seeded, else until a page is empty. */
function discover(): { ids: string[]; pages: number[] } {
  const ids: string[] = [];
  const pages: number[] = [];
  for (let page = 0; ids.length < (plan.rows ?? Number.POSITIVE_INFINITY); page++) {
    const found = patient.discover(page);
    if (found.ids.length === 0) break;
    if (ids.length !== page * PAGE) throw new Error(`page ${page - 1} is short, and not the last`);
    ids.push(...found.ids);
    if (found.ids.length === PAGE) pages.push(found.bytes);
  }
  const rows = plan.rows ?? ids.length;
  if (ids.length < Math.max(rows, PAGE)) throw new Error(`there are only ${ids.length} movies`);
  return { ids: ids.slice(0, rows), pages: pages.slice(0, Math.floor(rows / PAGE)) };
}

function create(title: string): string {
  const id = patient.create(sampleMovie(title));
  if (!id) throw new Error(`setup could not create the movie "${title}"`);
  return id;
}
