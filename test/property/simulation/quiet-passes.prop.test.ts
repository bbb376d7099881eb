import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { planOf } from '../../../simulation/plan/plan.ts';
import { configurationOf, parseScenario } from '../../../simulation/plan/scenario.ts';
import { runPlan } from '../../../simulation/run.ts';

const seconds = (least: number, most: number) =>
  fc.integer({ min: least, max: most }).map((amount) => `${amount}s`);

const target = fc.constantFrom('zone: z1', 'zone: z2', 'count: 3', 'share: 0.4', 'share: 1');

const fault = fc.oneof(
  fc
    .record({ on: target, at: seconds(0, 500), for: seconds(5, 300), over: seconds(0, 60) })
    .map(({ on, at, for: length, over }) => `silence: { ${on}, at: ${at}, for: ${length}, over: ${over} }`),
  fc.record({ on: target, at: seconds(0, 500) }).map(({ on, at }) => `silence: { ${on}, at: ${at} }`),
  fc
    .record({ on: target, at: seconds(0, 300), for: seconds(60, 300), to: fc.constantFrom(0.3, 0.8, 1) })
    .map(({ on, at, for: length, to }) => `loss: { ${on}, at: ${at}, for: ${length}, from: 0, to: ${to} }`),
  fc
    .record({ on: target, at: seconds(0, 300), silentFor: seconds(20, 100) })
    .map(
      ({ on, at, silentFor }) =>
        `flap: { ${on}, at: ${at}, for: 300s, every: 120s, silentFor: ${silentFor} }`,
    ),
  fc
    .record({ at: seconds(0, 500), part: fc.constantFrom('node-monitor-ticks', 'eviction-wakeups') })
    .map(({ at, part }) => `pause: { parts: [${part}], at: ${at}, for: 25s }`),
);

const scenario = fc.record({
  faults: fc.array(fault, { maxLength: 4 }),
  style: fc.constantFrom('plain', 'kubelet'),
  every: fc.constantFrom('5s', '10s', '45s'),
  rate: fc.constantFrom(0, 0.1, 0.5),
});

/** Machines beat for the first time while passes are missed. */
const PAUSED_AT_THE_START = {
  faults: ['pause: { parts: [node-monitor-ticks], at: 5s, for: 25s }'],
  style: 'plain' as const,
  every: '5s' as const,
  rate: 0 as const,
};

describe('skipped passes', () => {
  it('would have changed no object and sent no message', async () => {
    await fc.assert(
      fc.asyncProperty(scenario, fc.nat(), async ({ faults, style, every, rate }, seed) => {
        const text = [
          'name: any',
          'about: any',
          'duration: 15m',
          `fleet: { zones: 2, nodesPerZone: 30, beat: { style: ${style}, every: ${every}, jitter: 1s },`,
          '  pods: [{ perNode: 1, toleration: 100s }] }',
          ...(faults.length > 0 ? ['faults:', ...faults.map((one) => `  - ${one}`)] : []),
        ].join('\n');
        const plan = planOf(parseScenario(text, 'any.yaml'), seed);
        const { nodeLifecycle } = configurationOf({ nodeEvictionRate: rate });
        const short = await runPlan(plan, nodeLifecycle);
        const full = await runPlan(plan, nodeLifecycle, { leaveOutQuietPasses: false });
        expect(short.happenings).toEqual(full.happenings);
        expect(short.commits).toEqual(full.commits);
        expect(short.messages).toEqual(full.messages);
        expect(short.notifications).toEqual(full.notifications);
        expect(full.quietPasses).toBe(0);
      }),
      { numRuns: 25, examples: [[PAUSED_AT_THE_START, 0]] },
    );
  });
});
