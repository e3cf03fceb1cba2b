/** The part of k6's summary data that is used. */
interface SummaryData {
  metrics: Record<string, { values: Record<string, number> }>;
  state: { testRunDurationMs: number };
}

/** The few totals that the runner needs besides the raw results. */
export function summaryOf(data: SummaryData): Record<string, string> {
  const value = (metric: string, kind: string) => data.metrics[metric]?.values[kind] ?? 0;
  const summary = {
    duration_ms: data.state.testRunDurationMs,
    iterations: value('iterations', 'count'),
    dropped_iterations: value('dropped_iterations', 'count'),
    http_reqs: value('http_reqs', 'count'),
    vus_max: value('vus_max', 'max'),
    checks: { passes: value('checks', 'passes'), fails: value('checks', 'fails') },
  };
  return { [__ENV.TELAR_SUMMARY ?? 'stdout']: `${JSON.stringify(summary)}\n` };
}
