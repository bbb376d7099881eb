import type { LifecyclePolicySpec } from '../../../shared/kube/types/lifecycle-policy.ts';
import { type LossyZone, runLossyZone } from '../../support/planes/lossy-zone.ts';
import type { Bench, Figure } from '../figures/figures.ts';

const NODES = 20;
const DAY_HOURS = 24;
const SEED = 43;

const adapts = (floorSeconds: number, ceilingSeconds: number): LifecyclePolicySpec => ({
  adaptiveGrace: { floorSeconds, ceilingSeconds },
});

const POLICIES: Readonly<Record<string, LifecyclePolicySpec>> = {
  'fixed 40 s': { nodeMonitorGracePeriodSeconds: 40 },
  'fixed 50 s': { nodeMonitorGracePeriodSeconds: 50 },
  '40 to 120 s': adapts(40, 120),
  '25 to 120 s': adapts(25, 120),
  '40 to 300 s': adapts(40, 300),
};

const NETWORKS: Readonly<Record<string, Pick<LossyZone, 'loss' | 'outageMs' | 'areTogether'>>> = {
  'no loss': {},
  '1 % lost': { loss: 0.01 },
  '5 % lost': { loss: 0.05 },
  '20 % lost': { loss: 0.2 },
  'outages, mean 20 s': { outageMs: 20_000 },
  'outages, mean 40 s': { outageMs: 40_000 },
  '20 % lost, all 20 nodes of a zone': { loss: 0.2, areTogether: true },
};

const measure = async (network: string, policy: string, days: number): Promise<Figure> => {
  const spec = POLICIES[policy] ?? {};
  const zone = { nodes: NODES, hours: days * DAY_HOURS, spec, seed: SEED, ...NETWORKS[network] };
  const { unknown, writes, graceMs } = await runLossyZone(zone);
  const each = NODES * days;
  return {
    name: `${network}; ${policy}`,
    unit: 'false Unknown/node and day',
    value: unknown / each,
    note: `mean grace period ${(graceMs / 1000).toFixed(1)} s, ${(writes / each).toFixed(1)} writes a day`,
  };
};

/** Living nodes that become Unknown by networks and grace periods, over days of a model; each number is the same in each run. */
export const adaptiveGrace: Bench = async ({ large }) => {
  const figures: Figure[] = [];
  for (const network of Object.keys(NETWORKS))
    for (const policy of Object.keys(POLICIES)) figures.push(await measure(network, policy, large ? 20 : 1));
  return figures;
};
