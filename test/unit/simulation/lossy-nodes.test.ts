import { describe, expect, it } from 'vitest';
import { builtInScenario } from '../../../simulation/built-in.ts';
import { simulate } from '../../../simulation/simulate.ts';

const SEEDS = [1, 2, 3];

/** How often nodes of a zone got a NoExecute taint, over all seeds: none of them has stopped. */
const taintsOf = async (scenario: Parameters<typeof simulate>[0], zone: string): Promise<number> => {
  let taints = 0;
  for (const seed of SEEDS) taints += (await simulate(scenario, { seed })).figures.zones[zone]?.taints ?? 0;
  return taints;
};

describe('the scenario lossy-nodes', () => {
  it('has far fewer living nodes that become Unknown than with a fixed grace period (V-80)', async () => {
    const scenario = builtInScenario('lossy-nodes');
    const adaptive = await taintsOf(scenario, 'b');
    const fixed = await taintsOf({ ...scenario, policies: [] }, 'b');
    expect(fixed).toBeGreaterThan(10);
    expect(adaptive * 3).toBeLessThan(fixed);
  }, 60_000);
});
