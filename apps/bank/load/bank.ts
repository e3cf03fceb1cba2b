import { check } from 'k6';
import { SharedArray } from 'k6/data';
import exec from 'k6/execution';
import http, { type Params, type RefinedResponse } from 'k6/http';
import type { Options, Scenario } from 'k6/options';
import { beginArrival } from '../../../k6/lib/arrival.ts';
import { deal, Sequence } from '../../../k6/lib/mix.ts';
import { optionsFor } from '../../../k6/lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../../../k6/lib/plan.ts';
import { arrivals } from '../../../k6/lib/schedule.ts';
import { summaryOf } from '../../../k6/lib/summary.ts';

const plan = readPlan();
const base = baseUrl();
const params: Params & { responseType: 'text' } = { timeout: plan.timeout, responseType: 'text' };
const sending = { ...params, headers: { 'Content-Type': 'text/plain' } };
const blocks = new SharedArray('blocks', () => deal(plan.seed, plan.mix, arrivals(plan.stages)));
const sequence = new Sequence(plan.mix, blocks);
const ACCOUNTS = 9999; // the last of 10,000 has no account after it
const ACCOUNT = /^\{"id":\d+,"owner":"Owner \d+","cents":-?\d+\}$/;
const BODIES: Record<Kind, RegExp> = {
  ping: /^\{"ping":"pong"\}$/,
  account: ACCOUNT,
  transfer: ACCOUNT,
};

export const options: Options = patient(optionsFor(plan));
export const handleSummary = summaryOf;

export function setup(): void {
  exec.vu.metrics.tags.name = 'setup';
  waitForBegin(plan);
}

/** A VU's first request, before the window: one that waits for no other service. */
export function touch(): void {
  http.get(`${base}/ping`, { timeout: plan.timeout, responseType: 'none' });
}

export default function arrive(): void {
  const arrival = beginArrival(plan.stages);
  const operation = sequence.operation(arrival);
  exec.vu.metrics.tags.name = operation;
  const [kind, delay] = parts(operation);
  const response = perform[kind](1 + (arrival % ACCOUNTS), delay);
  if (response.status === 0) return; // a failed request, with its error code
  const reason = broken(response, kind);
  check(reason, { contract: (found) => found === '' }, reason ? { reason } : undefined);
}

type Kind = 'ping' | 'account' | 'transfer';
type Answer = RefinedResponse<'text'>;

/** Which account it is depends on the arrival's number alone, so every arm sees the same. */
const perform: Record<Kind, (id: number, delay: number) => Answer> = {
  ping: () => http.get(`${base}/ping`, params),
  account: (id, delay) => http.get(`${base}/accounts/${id}?delay=${delay}`, params),
  transfer: (id, delay) =>
    http.post(`${base}/accounts/${id}/transfers?delay=${delay}`, '1', sending),
};

/** `ping`, or what is done and how long the remote system takes: `account-2ms`. */
function parts(operation: string): [Kind, number] {
  const [, kind, delay] = /^(ping|account|transfer)(?:-(\d+)ms)?$/.exec(operation) ?? [];
  if (!kind) throw new Error(`no such operation: ${operation}`);
  return [kind as Kind, Number(delay ?? 0)];
}

function broken(response: Answer, kind: Kind): string {
  if (response.status !== (kind === 'transfer' ? 201 : 200)) return `status ${response.status}`;
  if (response.headers['Content-Type'] !== 'application/json') return 'content type';
  return BODIES[kind].test(response.body ?? '') ? '' : 'body';
}

/** Requests that wait at the schedule's end are answered or time out; none is cut off. */
function patient(common: Options): Options {
  const arrivals = { ...common.scenarios?.arrivals, gracefulStop: plan.timeout } as Scenario;
  return { ...common, scenarios: { ...common.scenarios, arrivals } };
}
