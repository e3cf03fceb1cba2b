import exec from 'k6/execution';
import { optionsFor } from '../lib/options.ts';
import { readPlan, waitForBegin } from '../lib/plan.ts';
import { stageAt } from '../lib/schedule.ts';
import { summaryOf } from '../lib/summary.ts';

/** What a guest's own script exports; its options are Telar's matter and not looked at. */
interface Theirs {
  default: (data: unknown) => void;
  setup?: () => unknown;
  teardown?: (data: unknown) => void;
}

interface Found {
  theirs: unknown;
  /** When the arrivals begin, in milliseconds since 1970. */
  started: number;
}

const plan = readPlan();

export const options = optionsFor(plan);
export const handleSummary = summaryOf;

/** Runs a guest's script by the plan: each arrival is one call of its default function. */
export const drive = {
  setup(script: Theirs): Found {
    exec.vu.metrics.tags.name = 'setup';
    const theirs = script.setup?.();
    waitForBegin(plan);
    return { theirs, started: Date.now() };
  },
  /** The stage tells the window's requests from those of the setup, whatever the script names them. */
  arrive(script: Theirs, found: Found): void {
    exec.vu.metrics.tags.stage = stageAt(plan.stages, (Date.now() - found.started) / 1000);
    script.default(found.theirs);
  },
  teardown(script: Theirs, found: Found): void {
    script.teardown?.(found.theirs);
  },
};
