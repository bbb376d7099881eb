import { expect, it } from 'vitest';
import { monitoringOf, nextSteps } from '../../../../shared/rules/roll-call/next-steps.ts';
import type { NodeLine } from '../../../../shared/rules/roll-call/node-line.ts';
import { lateNodes, withForecasts } from '../../../../terminal/top/forecast.ts';
import { NOW } from '../../../support/objects/a-roll-call.ts';

const CONFIG = monitoringOf(40_000);
const line = (name: string, beatAt: number): NodeLine =>
  ({ name, zone: 'a', ready: 'True', beatAt, evictions: [] }) as unknown as NodeLine;
const LINES = [line('late', NOW - 20_000), line('paced', NOW - 20_000), line('heard', NOW)];

it('asks for late nodes only', () => {
  expect(lateNodes(LINES, NOW, CONFIG).map(({ node }) => node)).toEqual(['late', 'paced']);
});

it('shows the instant of the control plane, and none where the zone paces', () => {
  const beatAt = NOW - 20_000;
  const told = [
    { node: 'late', beatAt, at: NOW + 77_000 },
    { node: 'paced', beatAt },
    { node: 'heard', beatAt, at: NOW },
  ];
  const nodes = withForecasts(LINES, told);
  const steps = nextSteps({ now: NOW, quietUntil: 0, nodes, zones: [] }, CONFIG);
  expect(steps.map(({ node, at }) => [node, at - NOW])).toEqual([['late', 77_000]]);
  expect(withForecasts(LINES, [])).toBe(LINES);
});
