/** What the control plane will do next, and when, by what is stored. */
import type { NodeLifecycleConfig } from '../shared/config/node-lifecycle.ts';
import type { RollCall } from './roll-call-view.ts';

export interface NextStep {
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
}

type Config = Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeMonitorPeriodMs'>;

/** A machine counts as silent here when it missed a beat and a half. */
const isLate = (beatAgeMs: number, { nodeMonitorGracePeriodMs }: Config): boolean =>
  beatAgeMs > 0.375 * nodeMonitorGracePeriodMs;

/** The first pass after the grace period. */
const unknownAt = (silentSince: number, config: Config): number => {
  const { nodeMonitorGracePeriodMs: grace, nodeMonitorPeriodMs: period } = config;
  return (Math.floor((silentSince + grace) / period) + 1) * period;
};

const silences = ({ nodes, now }: RollCall, config: Config): readonly NextStep[] =>
  nodes
    .filter(({ ready }) => ready === 'True')
    .flatMap(({ name, beatAgeMs }) => {
      if (beatAgeMs === undefined || !isLate(beatAgeMs, config)) return [];
      return [{ at: unknownAt(now - beatAgeMs, config), text: `${name} becomes Unknown` }];
    });

const taints = ({ zones, now, quietUntil }: RollCall): readonly NextStep[] =>
  zones
    .filter(({ limiter, waitingCount }) => waitingCount > 0 && limiter.rate > 0)
    .map(({ id, limiter, waitingCount }) => ({
      at: Math.max(limiter.nextAt, quietUntil, now),
      text: `the next NoExecute taint in zone ${id} (${waitingCount} waiting)`,
    }));

const evictions = ({ deadlines, quietUntil }: RollCall): readonly NextStep[] =>
  deadlines.map(({ name, nodeName, fireAt }) => ({
    at: Math.max(fireAt, quietUntil),
    text: `pod ${name} leaves ${nodeName}`,
  }));

/** The soonest first, at most `most`. */
export const nextSteps = (view: RollCall, config: Config, most: number): readonly NextStep[] =>
  [...silences(view, config), ...taints(view), ...evictions(view)]
    .toSorted((a, b) => a.at - b.at)
    .slice(0, most);
