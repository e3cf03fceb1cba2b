// Everything that a reader needs to know about what ran, from a record, in words.

import type { Benchmark, Limits, Planned, Record as RecordOf } from '../generated/record.ts';

export interface Part {
  title: string;
  rows: [string, string][];
  more?: string; // what `listing` is
  listing?: string[];
}

export function provenance(record: RecordOf): Part[] {
  const parts = [
    cell(record),
    java(record),
    classPath(record),
    database(record),
    artifact(record),
    machine(record),
    limits(record),
  ];
  return parts
    .map((part) => ({ ...part, rows: part.rows.filter(([, said]) => said !== '') }))
    .filter((part) => part.rows.length > 0);
}

const utc = (seconds: number) =>
  `${new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
const count = (n: number) => n.toLocaleString('en');
const pairs = (all: Record<string, string | number>) =>
  Object.entries(all).map(([name, value]) => `${name}=${value}`);
const shell = (words: readonly string[]) =>
  words
    .map((w) => (/^[A-Za-z0-9_@%+=:,./-]+$/.test(w) ? w : `'${w.replaceAll("'", `'"'"'`)}'`))
    .join('\n');

function cell(record: RecordOf): Part {
  const { cell: own, load, planned, benchmark, program, database: state } = record;
  return {
    title: 'Cell',
    rows: [
      ['workload', own.workload],
      ['engine', own.engine],
      ['runner, layout', `${own.runner}, ${own.layout}`],
      ['flags', (own.flags ?? []).join(' ')],
      ['revision', own.revision ?? ''],
      [
        'started',
        `${utc(record.started)}, run ${record.position}, repetition ${record.repetition}`,
      ],
      ['run id', record.run_id],
      ['seed of the load', load ? String(load.seed) : ''],
      ['seed of the session', planned ? String(planned.seed) : ''],
      ['warm-up', planned?.warmup_workload ? warmUp(planned) : ''],
      ...(benchmark ? forkOf(benchmark) : []),
      [
        'arguments',
        program ? [...program.arguments, ...pairs(program.params)].join(' ') || 'none' : '',
      ],
      ['rows seeded', state ? count(state.rows_seeded) : ''],
    ],
  };
}

function forkOf(fork: Benchmark): [string, string][] {
  return [
    ['benchmark', fork.benchmark],
    ['parameters', pairs(fork.params).join(', ') || 'none'],
    ['JMH', `${fork.jmh}, ${fork.mode}, ${fork.unit}`],
    ['iterations', `${fork.warmup.length} of warm-up, ${fork.iterations.length} measured`],
  ];
}

function warmUp(planned: Planned): string {
  const { warmup_seconds: fixed, warmup_requests: requests } = planned;
  const length =
    requests !== null && requests !== undefined
      ? `until ${count(requests)} requests were answered`
      : fixed !== null && fixed !== undefined
        ? `for ${fixed} s`
        : 'until steady';
  return `${planned.warmup_workload}, ${planned.warmup_rate}/s ${length}`;
}

function java({ provenance: { java: own } }: RecordOf): Part {
  if (!own) return { title: 'JVM', rows: [] };
  return {
    title: 'JVM',
    rows: [
      ['version', own.version],
      ['build', own.vendor],
      ['command', shell(own.command)],
      ['from its environment', (own.picked_up ?? []).join('\n') || 'nothing'],
      ['its threads’ CPU counted in', own.thread_clock || 'not known'],
    ],
    more: 'flags that differ from the JVM’s defaults, and those that move numbers most',
    listing: pairs(own.flags),
  };
}

function classPath({ cell: { drivers }, provenance: { java: own } }: RecordOf): Part {
  if (!own) return { title: 'Class path', rows: [] };
  return {
    title: 'Class path',
    rows: [
      ['drivers', pairs(drivers).join(', ')],
      ['as of', own.class_path_source],
    ],
    more: 'jars',
    listing: own.class_path,
  };
}

function database({ provenance: { database: own } }: RecordOf): Part {
  if (!own) return { title: 'Database', rows: [] };
  return {
    title: 'Database',
    rows: [
      ['product', own.name],
      ['version', own.version],
      ['command', shell(own.command ?? []) || 'not known'],
    ],
    more: 'settings',
    listing: pairs(own.settings ?? {}),
  };
}

function artifact({ provenance: own }: RecordOf): Part {
  const beside = Object.entries(own.beside ?? {}).map(([name, other]): [string, string] => [
    `beside it, ${name}`,
    [other.build, other.digest, other.image, ...(other.maven ?? [])].filter(Boolean).join(' '),
  ]);
  return {
    title: 'Artefact and code',
    rows: [
      ['build', own.artifact.build],
      ['digest', own.artifact.digest],
      ['image', own.artifact.image ?? ''],
      ...Object.entries(own.images ?? {}).map(([name, image]): [string, string] => [
        `image of the ${name}`,
        image,
      ]),
      ...beside,
      ['Maven', (own.artifact.maven ?? []).join(' ')],
      ['commit', own.commit || 'none'],
      ['uncommitted changes', own.dirty || 'none'],
      ['Telar', own.telar],
    ],
  };
}

function machine(record: RecordOf): Part {
  const { machine: own, generator, cpus, app_memory: memory } = record.provenance;
  const stolen = growth(record, 'host.steal_seconds');
  return {
    title: 'Machine and generator',
    rows: [
      ['processors', `${own.processors} × ${own.cpu_model}`],
      ['memory', `${count(own.memory_mib)} MiB`],
      ['kernel', own.kernel],
      ['governor', own.governor],
      ['hardware threads share cores', own.smt ?? ''],
      ['transparent huge pages', own.transparent_huge_pages ?? ''],
      ['swap', own.swap_mib == null ? '' : `${count(own.swap_mib)} MiB`],
      [
        'taken by the host in the window',
        stolen === null ? '' : `${stolen.toFixed(2)} s of processor time`,
      ],
      ['control groups', own.cgroup ?? ''],
      ['container engine', own.container_engine ?? ''],
      ['machine', own.hostname_digest],
      [
        'processor sets',
        Object.entries(cpus)
          .map(([name, set]) => `${name} ${set}`)
          .join(', '),
      ],
      ['memory of the app', memory],
      ['generator', generator ? `k6 ${generator.version}, script ${generator.script_digest}` : ''],
    ],
  };
}

/** What a counter grew by in the measured window; null where it wasn't read. */
function growth(record: RecordOf, series: string): number | null {
  const { series: kept, timeline } = record;
  const values = kept?.values[series];
  const window = timeline.find((p) => p.name === 'window');
  if (!kept || !values) return null;
  const known = values.filter((v, n): v is number => {
    const at = kept.start + n * kept.step;
    return v !== null && (!window || (at >= window.start && at <= window.end));
  });
  const [first, last] = [known.at(0), known.at(-1)];
  return first === undefined || last === undefined ? null : last - first;
}

function limits({ provenance: { limits: all } }: RecordOf): Part {
  return {
    title: 'Limits in force',
    rows: Object.entries(all ?? {}).map(([name, own]) => [name, limitsText(own)]),
  };
}

function limitsText({ cpus, quota, memory_mib: memory, priority }: Limits): string {
  return [
    `processors ${cpus}`,
    quota === null || quota === undefined ? 'no quota' : `${quota} processors’ worth`,
    memory === null || memory === undefined ? 'no limit of memory' : `${count(memory)} MiB`,
    priority ? `priority of its group ${priority}` : 'no scheduling groups',
  ].join(', ');
}
