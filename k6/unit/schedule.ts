import { arrivals, ramp, type Stage, stageAt } from '../lib/schedule.ts';
import { expect } from './expect.ts';

const stage = (name: string, from: number, to: number, duration: number): Stage => ({
  name,
  from,
  to,
  duration,
});

const THESIS = [
  stage('hold-200', 200, 200, 30),
  stage('climb-300', 200, 300, 30),
  stage('hold-300', 300, 300, 30),
  stage('climb-400', 300, 400, 30),
  stage('hold-400', 400, 400, 30),
  stage('climb-500', 400, 500, 30),
  stage('hold-500', 500, 500, 60),
];

export function scheduleTests(): void {
  expect('the thesis ramp offers 88,500 arrivals', arrivals(THESIS), 88500);
  expect('a climb offers its mean rate', arrivals([stage('climb', 0, 100, 10)]), 500);
  expect('no stages offer nothing', arrivals([]), 0);

  expect('a ramp goes to the end of each stage', ramp(THESIS.slice(0, 2)).slice(0, -2), [
    { target: 200, duration: '30000ms' },
    { target: 300, duration: '30000ms' },
  ]);
  expect(
    'a jump between stages is a step of no length',
    ramp([stage('low', 50, 50, 5), stage('high', 100, 100, 0.5)]).slice(0, -2),
    [
      { target: 50, duration: '5000ms' },
      { target: 100, duration: '0s' },
      { target: 100, duration: '500ms' },
    ],
  );

  expect('a ramp ends with a moment at rate 0', ramp(THESIS).slice(-2), [
    { target: 0, duration: '0s' },
    { target: 0, duration: '1s' },
  ]);

  expect('the first moment is in the first stage', stageAt(THESIS, 0), 'hold-200');
  expect('a stage ends before the next begins', stageAt(THESIS, 29.999), 'hold-200');
  expect('a stage begins where the one before ended', stageAt(THESIS, 30), 'climb-300');
  expect('what is late is in the last stage', stageAt(THESIS, 240.1), 'hold-500');
}
