// Made from benchmarks-data/schema/ by types.mjs: npm run types

export interface Published {}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Index".
 */
export interface Index {
  format: 1;
  written: number;
  points: number;
  runs: number;
  bytes: number;
  now: string | null;
  levels: string | null;
  months: {
    [k: string]: Files;
  };
  evidence?: string | null;
  report?: string | null;
}
/**
 * A month's.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Files".
 */
export interface Files {
  sessions: string | null;
  points: {
    [k: string]: string;
  };
}
/**
 * What the pages read first, after the index.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Now".
 */
export interface Now {
  format: 1;
  variants: {
    [k: string]: VariantWords;
  };
  metrics: {
    [k: string]: MetricWords;
  };
  jdks: {
    [k: string]: string;
  };
  slo_p99_ms: number;
  floors: Floors;
  cells: {
    [k: string]: Cell;
  };
  standing: Standing[];
  detector?: Detector | null;
  repository?: string;
  commits?: {
    [k: string]: CommitWords;
  };
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "VariantWords".
 */
export interface VariantWords {
  system: string;
  framework: string;
  database: string;
  launch: string;
  description: string;
  model: ("blocking" | "nonblocking") | null;
  p99_limit_ms?: number | null;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "MetricWords".
 */
export interface MetricWords {
  label: string;
  title: string;
  unit: string;
  better: "bigger" | "smaller";
  digits: number;
  matters: number | null;
  group?: string;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Floors".
 */
export interface Floors {
  format: 1;
  calibrations: Calibration[];
}
/**
 * One cell's floors, and what they were measured on.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Calibration".
 */
export interface Calibration {
  cell: Cell;
  session: string;
  measured: string;
  commit: string;
  machine: Machine;
  forks: number;
  pairs: number;
  left_out: number;
  floors: {
    [k: string]: Floor;
  };
  added: string[];
  latency_from?: "due" | "sent";
}
/**
 * What is measured: a variant, a workload, and a place on every axis. The identity of a series.
 *
 * This interface was referenced by `Published`'s JSON-Schema
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
  system: string;
  revision: string;
  /**
   * Items: a flag, which begins with -
   */
  flags: string[];
  image: string;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
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
  container_engine: string;
  smt: string;
  transparent_huge_pages: string;
  swap_mib: number | null;
}
/**
 * Of one metric. Null where its values have no logarithm, and differ.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Floor".
 */
export interface Floor {
  tier: "chart" | "gate" | "watch";
  run_to_run: number | null;
  jvm_to_jvm: number | null;
  pair_to_pair: number | null;
  fork_to_fork: number | null;
  observed: number | null;
  replay: number | null;
  smallest: {
    [k: string]: number;
  };
  forks: number | null;
  pairs: number | null;
}
/**
 * A series as it stands.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Standing".
 */
export interface Standing {
  series: string;
  metric: string;
  unit: string;
  better: "bigger" | "smaller";
  time: number;
  commit: string;
  origin: string;
  validity: "invalid" | "limited" | "valid";
  value: number | null;
  reference: number | null;
  level: number | null;
  values: number[];
  findings: PublishedFinding[];
  low: number | null;
  high: number | null;
}
/**
 * A finding, as the pages show it.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "PublishedFinding".
 */
export interface PublishedFinding {
  kind: "drift" | "improvement" | "regression";
  state: "accepted" | "cured" | "open" | "seen" | "suspected";
  before: Moment;
  since: Moment;
  decided: Moment;
  reference: number;
  level: number;
  evidence?: number;
  points: number;
  reason: string;
  growth?: Grown[];
  over?: Moment | null;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Moment".
 */
export interface Moment {
  time: number;
  commit: string;
}
/**
 * A step for the worse of a regression that was open already.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Grown".
 */
export interface Grown {
  before: Moment;
  since: Moment;
  reference: number;
  level: number;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Detector".
 */
export interface Detector {
  format: 1;
  measured: string;
  false_alarms: number;
  on_rulers: number;
  steps: Step[];
}
/**
 * Levels that were shifted on purpose by one and the same share.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Step".
 */
export interface Step {
  share: number;
  found: number;
  delay: number | null;
}
/**
 * What git says of a commit.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "CommitWords".
 */
export interface CommitWords {
  subject: string;
  author: string;
  parent: string;
  branch: string;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Sessions".
 */
export interface Sessions {
  format: 1;
  sessions: Row[];
  commits?: {
    [k: string]: CommitWords;
  };
}
/**
 * A published session.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Row".
 */
export interface Row {
  id: string;
  time: number;
  commit: string;
  suite: string;
  environments: {
    [k: string]: {
      [k: string]: string;
    };
  };
  runs: {
    [k: string]: Kept;
  };
}
/**
 * A published run.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Kept".
 */
export interface Kept {
  run_id: string;
  seconds: number;
  validity: "invalid" | "limited" | "valid";
  compacted?: number | null;
  packed: boolean;
}
/**
 * A month's points of a metric, or a year's.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Shard".
 */
export interface Shard {
  format: 1;
  metric: string;
  unit: string;
  better: "bigger" | "smaller";
  origins: never[][];
  environments: string[];
  series: {
    [k: string]: Columns;
  };
}
/**
 * One series' points in a month, or a year, in the order of time: all columns are as long.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Columns".
 */
export interface Columns {
  time: number[];
  origin: number[];
  environment: number[];
  value: number[];
  low: (number | null)[];
  high: (number | null)[];
  runs: number[];
  validity: string;
  mean?: (number | null)[];
  spread?: (number | null)[];
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Listing".
 */
export interface Listing {
  format: 1;
  lines: Line[];
}
/**
 * Of the list of all.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Line".
 */
export interface Line {
  id: string;
  kind: "attribution" | "comparison" | "search";
  time: number;
  word: "" | "bad" | "better" | "found" | "good" | "same" | "undecided" | "worse";
  headline: string;
  file: string;
}
/**
 * All that a page shows.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Evidence".
 */
export interface Evidence {
  format: 1;
  id: string;
  kind: "attribution" | "comparison" | "search";
  time: number;
  word: "" | "bad" | "better" | "found" | "good" | "same" | "undecided" | "worse";
  headline: string;
  base: string;
  head: string;
  command: string;
  base_commit: string;
  head_commit: string;
  machine: string;
  minutes: number;
  notes: string[];
  figures: Figure[];
  tables?: Table[];
}
/**
 * A line of the result: a metric of a variant, a candidate of a search, a factor of an attribution.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Figure".
 */
export interface Figure {
  name: string;
  metric: string;
  word: "" | "bad" | "better" | "found" | "good" | "same" | "undecided" | "worse";
  base: number | null;
  head: number | null;
  effect: number | null;
  low: number | null;
  high: number | null;
  smallest: number | null;
  share: number | null;
}
/**
 * Words, as they are shown: why the sides differ.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Table".
 */
export interface Table {
  title: string;
  heads: string[];
  rows: string[][];
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "Report".
 */
export interface Report {
  format: 1;
  id: string;
  suite: string;
  findings: string[];
  facts: never[][];
  notes: string[];
  columns: {
    [k: string]: ReportColumn;
  };
  ratios: string[];
  tables: ReportTable[];
  groups: ReportGroup[];
  p99_limit_ms: number;
}
/**
 * A metric that heads a column.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "ReportColumn".
 */
export interface ReportColumn {
  label: string;
  unit: string;
  title: string;
  better: string;
}
/**
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "ReportTable".
 */
export interface ReportTable {
  title: string;
  metrics: string[];
}
/**
 * Cells that differ in how the app was launched, in nothing else.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "ReportGroup".
 */
export interface ReportGroup {
  app: string;
  where: string;
  rows: ReportRow[];
}
/**
 * A cell, what one is to another, or runs that failed.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "ReportRow".
 */
export interface ReportRow {
  kind: "cell" | "failed" | "ratio";
  name: string;
  label: string;
  runs: string;
  validity: string;
  message: string;
  figures: {
    [k: string]: ReportFigure;
  };
  files: string[];
  behind: string[];
}
/**
 * What stands in a row for a metric.
 *
 * This interface was referenced by `Published`'s JSON-Schema
 * via the `definition` "ReportFigure".
 */
export interface ReportFigure {
  text: string;
  spread?: string;
  bad: boolean;
  ratio: number | null;
}
