// Made from benchmarks-data/schema/ by types.mjs: npm run types

export interface Record {
  format: 2;
  run_id: string;
  session: string;
  suite: string;
  position: number;
  repetition: number;
  cell: Cell;
  started: number;
  finished: number;
  outcome: "completed" | "failed";
  provenance: Provenance;
  timeline: Phase[];
  kind?: "http" | "jmh" | "task";
  pair?: Pair | null;
  planned?: Planned | null;
  stopped?: Stop | null;
  load?: Load | null;
  latencies?: Latency[];
  failures?: Failure[];
  metrics?: {
    [k: string]: Metric;
  };
  pins?: Pin[];
  series?: Series | null;
  telemetry_gaps?: {
    [k: string]: number;
  };
  database?: DatabaseState | null;
  warmup?: Warmup | null;
  benchmark?: Benchmark | null;
  program?: Program | null;
  superseded?: Superseded[];
  ruler?: Ruler | null;
  gates?: Gate[];
  validity?: "invalid" | "limited" | "valid";
  digest?: string;
}
/**
 * What is measured: a variant, a workload, and a place on every axis. The identity of a series.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Cell".
 */
export interface Cell {
  /**
   * a name of letters, digits and . _ -
   */
  variant: string;
  /**
   * a name of letters, digits and . _ -
   */
  workload: string;
  /**
   * a name of letters, digits and . _ -
   */
  jdk: string;
  drivers: {
    /**
     * a name of letters, digits and . _ -
     */
    [k: string]: string;
  };
  engine: "compose" | "embedded";
  /**
   * a name of letters, digits and . _ -
   */
  runner: string;
  /**
   * a name of letters, digits and . _ -
   */
  layout: string;
  system?: string;
  revision?: string;
  /**
   * Items: a flag, which begins with -
   */
  flags?: string[];
  image?: string;
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Provenance".
 */
export interface Provenance {
  telar: string;
  commit: string;
  dirty: string;
  artifact: Artifact;
  java: Java | null;
  database: Product | null;
  generator: Generator | null;
  machine: Machine;
  cpus: {
    [k: string]: string;
  };
  app_memory: string;
  limits?: {
    [k: string]: Limits;
  };
  images?: {
    [k: string]: string;
  };
  beside?: {
    [k: string]: Artifact;
  };
}
/**
 * The bytes that ran.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Artifact".
 */
export interface Artifact {
  build: string;
  digest: string;
  image?: string;
  maven?: string[];
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Java".
 */
export interface Java {
  version: string;
  vendor: string;
  flags: {
    [k: string]: string;
  };
  command: string[];
  class_path: string[];
  class_path_source: "artifact" | "open files";
  picked_up?: string[];
  thread_clock?: "" | "nanoseconds" | "ticks";
}
/**
 * As the server itself reports it.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Product".
 */
export interface Product {
  name: string;
  version: string;
  settings?: {
    [k: string]: string;
  };
  command?: string[];
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Generator".
 */
export interface Generator {
  version: string;
  script_digest: string;
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Machine".
 */
export interface Machine {
  hostname_digest: string;
  kernel: string;
  cpu_model: string;
  processors: number;
  memory_mib: number;
  governor: string;
  cgroup: string;
  container_engine?: string;
  smt?: string;
  transparent_huge_pages?: string;
  swap_mib?: number | null;
}
/**
 * What the kernel lets a component use, as it was in force under load (run/limits.py).
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Limits".
 */
export interface Limits {
  cpus: string;
  quota: number | null;
  memory_mib: number | null;
  priority: string;
}
/**
 * A stretch of the run's time: `database`, `start`, `contract`, `warm-up`, `window`, `stop`, …
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Phase".
 */
export interface Phase {
  name: string;
  start: number;
  end: number;
}
/**
 * Where a window belongs: two sides' services live at once (a fork), and are measured in turns.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Pair".
 */
export interface Pair {
  fork: number;
  window: number;
  side: "a" | "b";
}
/**
 * What the session's plan says of every run of it: with the cell, all that makes a run again.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Planned".
 */
export interface Planned {
  seed: number;
  warmup_workload?: string;
  warmup_rate?: number;
  warmup_seconds?: number | null;
  warmup_requests?: number | null;
}
/**
 * Why a run ended early.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Stop".
 */
export interface Stop {
  phase: string;
  error: string;
  hint?: string;
  logs?: {
    [k: string]: string;
  };
}
/**
 * What the generator was asked for and what it did in the measured window.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Load".
 */
export interface Load {
  scheduled: number;
  iterations: number;
  dropped: number;
  requests: {
    [k: string]: number;
  };
  bytes: {
    [k: string]: number;
  };
  late: number | null;
  setup_created: number;
  seed: number;
  stages: Stage[];
  seconds: number;
  latency_from?: "due" | "sent";
  connections?: number | null;
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Stage".
 */
export interface Stage {
  name: string;
  from_rate: number;
  to_rate: number;
  start: number;
  end: number;
}
/**
 * A mergeable histogram: HdrHistogram V2, compressed, base64; in microseconds, 3 digits.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Latency".
 */
export interface Latency {
  endpoint: string;
  stage: string;
  count: number;
  histogram: string;
}
/**
 * Requests that didn't do what the contract says, by kind.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Failure".
 */
export interface Failure {
  endpoint: string;
  stage: string;
  side: "client" | "server";
  kind: string;
  count: number;
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Metric".
 */
export interface Metric {
  value: number;
  unit: string;
  better: "bigger" | "smaller";
}
/**
 * Where virtual threads held on to their carriers, all that did so at one place.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Pin".
 */
export interface Pin {
  count: number;
  seconds: number;
  reason: string;
  stack: string[];
}
/**
 * Values at 1 Hz over the run; null where a target could not be read.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Series".
 */
export interface Series {
  start: number;
  step: number;
  values: {
    [k: string]: (number | null)[];
  };
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "DatabaseState".
 */
export interface DatabaseState {
  rows_seeded: number;
  rows_at_window_start?: number | null;
  rows_at_window_end?: number | null;
  statements?: {
    [k: string]: number;
  };
  plans?: {
    [k: string]: string;
  };
  schema?: string;
}
/**
 * How the app was warmed up. `steady` is null where a fixed time was asked for: nobody looked.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Warmup".
 */
export interface Warmup {
  requests: number;
  seconds: number;
  steady: boolean | null;
  cycles?: WarmupCycle[];
  rehearsals?: WarmupCycle[];
}
/**
 * A stretch of warming load and the pause after it.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "WarmupCycle".
 */
export interface WarmupCycle {
  start: number;
  requests: number;
  p50_ms: number;
  app_seconds: number;
  compiler_seconds: number;
}
/**
 * One fork (a fresh JVM) of one benchmark with one choice of its parameters, as JMH reports it.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Benchmark".
 */
export interface Benchmark {
  jmh: string;
  benchmark: string;
  mode: string;
  unit: string;
  params: {
    [k: string]: string;
  };
  warmup: number[];
  /**
   * @minItems 1
   */
  iterations: number[];
  score: number;
  error: number | null;
  secondary: {
    [k: string]: Profiled;
  };
  invoker: string;
  options: string;
}
/**
 * A profiler's metric of a benchmark.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Profiled".
 */
export interface Profiled {
  score: number;
  unit: string;
  iterations: number[];
}
/**
 * A program that ended by itself, as it was called and what it said in its last line.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Program".
 */
export interface Program {
  arguments: string[];
  params: {
    [k: string]: string;
  };
  seconds: number;
  result: {
    [k: string]: number;
  };
}
/**
 * A window that the machine or a late compilation spoilt; it was measured again.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Superseded".
 */
export interface Superseded {
  run_id: string;
  gates: string[];
}
/**
 * Processor seconds of the same fixed work before and after the window (run/ruler.py).
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Ruler".
 */
export interface Ruler {
  work: string;
  before: number;
  after: number;
}
/**
 * A gate's verdict on the run.
 *
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Gate".
 */
export interface Gate {
  name: string;
  verdict: "fail" | "pass" | "warn";
  observed: string;
  expected: string;
  advice?: string;
  limited_by?: ("app" | "database" | "generator" | "machine") | null;
}
/**
 * This interface was referenced by `Record`'s JSON-Schema
 * via the `definition` "Record".
 */
export interface Record1 {
  format: 2;
  run_id: string;
  session: string;
  suite: string;
  position: number;
  repetition: number;
  cell: Cell;
  started: number;
  finished: number;
  outcome: "completed" | "failed";
  provenance: Provenance;
  timeline: Phase[];
  kind?: "http" | "jmh" | "task";
  pair?: Pair | null;
  planned?: Planned | null;
  stopped?: Stop | null;
  load?: Load | null;
  latencies?: Latency[];
  failures?: Failure[];
  metrics?: {
    [k: string]: Metric;
  };
  pins?: Pin[];
  series?: Series | null;
  telemetry_gaps?: {
    [k: string]: number;
  };
  database?: DatabaseState | null;
  warmup?: Warmup | null;
  benchmark?: Benchmark | null;
  program?: Program | null;
  superseded?: Superseded[];
  ruler?: Ruler | null;
  gates?: Gate[];
  validity?: "invalid" | "limited" | "valid";
  digest?: string;
}
