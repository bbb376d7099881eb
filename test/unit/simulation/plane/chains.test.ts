import { describe, expect, it } from 'vitest';
import { parseScenario } from '../../../../simulation/plan/scenario.ts';
import { simulate } from '../../../../simulation/simulate.ts';
import { failingsOf } from '../../../../simulation/verdict.ts';

/** A zone of 200 nodes falls silent, and may be emptied at ten nodes a second. */
const FAST = `
name: fast
about: A zone is emptied faster than a chain of messages may go round that nothing paces.
duration: 5m
configuration: { nodeEvictionRate: 10 }
fleet: { zones: [a, b], nodesPerZone: 200, beat: { style: plain } }
faults:
  - silence: { zone: a, at: 60s }
expect: { falseUnknown: 0, taints: 200 }
`;

describe('chains of messages', () => {
  it('are not slowed where a limiter paces them, however fast it is (A-33)', async () => {
    const scenario = parseScenario(FAST, 'fast.yaml');
    const { figures, failings } = await simulate(scenario);
    expect(failings).toEqual([]);
    expect(figures.chains?.mostExcess).toBeLessThanOrEqual(0);
    expect(figures.zones['a']).toEqual({ taints: 200, minTaintGapMs: 100 });
    const slowed = { ...figures, chains: { mostHops: 70, mostExcess: 0.1 } };
    expect(scenario.expect && failingsOf(slowed, scenario.expect)).toEqual([
      'messages were slowed: a chain of 70 hops went round too fast',
    ]);
  });
});
