/** A stretch of time in which the rate moves in a straight line; rates are whole arrivals a second. */
export interface Stage {
  name: string;
  from: number;
  to: number;
  /** Seconds. */
  duration: number;
}

/** k6's form of a stage: it starts at the rate where the one before it ended. */
export interface RampStep {
  target: number;
  duration: string;
}

/** How many arrivals the stages offer: the integral of the rate over time. */
export function arrivals(stages: Stage[]): number {
  return stages.reduce((sum, stage) => sum + ((stage.from + stage.to) / 2) * stage.duration, 0);
}

/**
 * k6 counts a scenario's length from before it has activated the VUs (20 ms for a thousand), and what
 * arrives after that length is neither run nor reported as dropped. A moment at rate 0 leaves room for it.
 */
const TAIL: RampStep[] = [
  { target: 0, duration: '0s' },
  { target: 0, duration: '1s' },
];

/** The stages as k6 takes them, beginning at the first one's `from`. A jump is a step of no length. */
export function ramp(stages: Stage[]): RampStep[] {
  const steps = stages.flatMap((stage, index) => {
    const before = stages[index - 1]?.to ?? stage.from;
    const jump = before === stage.from ? [] : [{ target: stage.from, duration: '0s' }];
    return [...jump, { target: stage.to, duration: `${stage.duration * 1000}ms` }];
  });
  return [...steps, ...TAIL];
}

/** The stage in which `seconds` after the start falls; whatever is late belongs to the last. */
export function stageAt(stages: Stage[], seconds: number): string {
  let end = 0;
  for (const stage of stages) {
    end += stage.duration;
    if (seconds < end) return stage.name;
  }
  return stages[stages.length - 1]?.name ?? '';
}
