/** Predicts from what is stored what the control plane will do next, when, and why. */
import type { EpochMs } from '../../api/time.ts';
import type { NodeLifecycleConfig } from '../../config/node-lifecycle.ts';
import { isLate } from './node-marks.ts';
import type { RollCall } from './roll-call.ts';
import { ageText, spanText } from './units.ts';
import { slotOf } from './zone-lines.ts';

/** Something that will happen at `at`, and to what. */
export interface NextStep {
  readonly at: EpochMs;
  readonly text: string;
  readonly zone: string;
  readonly node?: string;
  /** `namespace/name`. */
  readonly pod?: string;
}

/** The settings on which it depends when a node becomes Unknown. */
export type Monitoring = Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeMonitorPeriodMs'>;

/** The first pass after the grace period. */
const unknownAt = (silentSince: EpochMs, config: Monitoring): EpochMs => {
  const { nodeMonitorGracePeriodMs: grace, nodeMonitorPeriodMs: period } = config;
  return (Math.floor((silentSince + grace) / period) + 1) * period;
};

const silences = ({ nodes, now }: RollCall, config: Monitoring): readonly NextStep[] =>
  nodes.flatMap((node) => {
    const { name, zone, beatAt } = node;
    if (beatAt === undefined || !isLate(node, now, config)) return [];
    const silence = `silent for ${ageText(now - beatAt)} of ${spanText(config.nodeMonitorGracePeriodMs)}`;
    return [{ at: unknownAt(beatAt, config), text: `${name} becomes Unknown: ${silence}`, zone, node: name }];
  });

/** Taints of a zone that are told one by one; nobody waits to read the hundredth. */
const MOST_TAINTS = 3;

const taints = ({ zones, now, quietUntil }: RollCall): readonly NextStep[] =>
  zones.flatMap((zone) =>
    zone.waiting.slice(0, MOST_TAINTS).flatMap((node, ahead) => {
      const at = slotOf(zone, ahead, Math.max(now, quietUntil));
      if (at === undefined) return [];
      const place = `number ${ahead + 1} of ${zone.waiting.length} in zone ${zone.name}`;
      const text = `${node} gets its NoExecute taint: ${place}, one each ${spanText(1000 / zone.rate)}`;
      return [{ at, text, zone: zone.name, node }];
    }),
  );

const evictions = ({ nodes, quietUntil }: RollCall): readonly NextStep[] =>
  nodes.flatMap(({ name: node, zone, evictions: pods }) =>
    pods.map(({ namespace, name, fireAt, reason }) => ({
      at: Math.max(fireAt, quietUntil),
      text: `pod ${name} leaves ${node}: ${reason}`,
      ...{ zone, node, pod: `${namespace}/${name}` },
    })),
  );

/** The next steps, the soonest first. */
export const nextSteps = (view: RollCall, config: Monitoring): readonly NextStep[] =>
  [...silences(view, config), ...taints(view), ...evictions(view)].toSorted((a, b) => a.at - b.at);
