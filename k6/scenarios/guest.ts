import exec from 'k6/execution';
import http from 'k6/http';
import { beginArrival } from '../lib/arrival.ts';
import { optionsFor } from '../lib/options.ts';
import { baseUrl, readPlan, waitForBegin } from '../lib/plan.ts';
import { summaryOf } from '../lib/summary.ts';

/** What a guest's own script exports; its options are Telar's matter and not looked at. */
interface Theirs {
  default: (data: unknown) => void;
  setup?: () => unknown;
  teardown?: (data: unknown) => void;
}

interface Found {
  theirs: unknown;
}

const plan = readPlan();

// Each arrival is a visitor of its own, who goes where it is sent. The service is on this machine: its
// certificate is of its own making.
export const options = {
  ...optionsFor(plan),
  maxRedirects: 10,
  noCookiesReset: false,
  insecureSkipTLSVerify: true,
};
export const handleSummary = summaryOf;

/** Runs a guest's script by the plan: each arrival is one call of its default function. */
export const drive = {
  setup(script: Theirs): Found {
    exec.vu.metrics.tags.name = 'setup';
    const theirs = script.setup?.();
    waitForBegin(plan);
    return { theirs };
  },
  /** A VU's first request, before the window: of the path whose first answer ended the start. */
  touch(path: string): void {
    http.get(`${baseUrl()}${path}`, { timeout: plan.timeout, responseType: 'none' });
  },
  /** The stage tells the window's requests from those of the setup, whatever the script names them. */
  arrive(script: Theirs, found: Found): void {
    beginArrival(plan.stages);
    script.default(found.theirs);
  },
  teardown(script: Theirs, found: Found): void {
    script.teardown?.(found.theirs);
  },
};
