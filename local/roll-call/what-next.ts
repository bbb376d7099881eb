/** Predicts from the stored state what the control plane will do next, when and why, and what it will not do. */
import type { NodeLifecycleConfig } from '../../shared/config/node-lifecycle.ts';
import { ageText, timeOfDay } from '../serving/host-log.ts';
import type { NodeLine, RollCall, ZoneLine } from './roll-call-view.ts';

/** Something that will happen at `at`. */
export interface NextStep {
  /** Epoch ms. */
  readonly at: number;
  readonly text: string;
}

type Config = Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeMonitorPeriodMs'>;

/** A machine counts as late if its last heartbeat is more than one and a half default intervals ago. */
const isLate = ({ ready, beatAgeMs }: NodeLine, { nodeMonitorGracePeriodMs }: Config): boolean =>
  ready === 'True' && beatAgeMs !== undefined && beatAgeMs > 0.375 * nodeMonitorGracePeriodMs;

/** The first pass after the grace period. */
const unknownAt = (silentSince: number, config: Config): number => {
  const { nodeMonitorGracePeriodMs: grace, nodeMonitorPeriodMs: period } = config;
  return (Math.floor((silentSince + grace) / period) + 1) * period;
};

const silences = ({ nodes, now }: RollCall, config: Config): readonly NextStep[] =>
  nodes
    .filter((node) => isLate(node, config))
    .map(({ name, beatAgeMs = 0 }) => ({
      at: unknownAt(now - beatAgeMs, config),
      text: `${name} becomes Unknown: silent for ${ageText(beatAgeMs)} of ${ageText(config.nodeMonitorGracePeriodMs)}`,
    }));

const paceText = (rate: number): string => `one each ${Number((1 / rate).toPrecision(3))} s`;

const taints = ({ zones, now, quietUntil }: RollCall): readonly NextStep[] =>
  zones
    .filter(({ waiting, rate }) => waiting.length > 0 && rate > 0)
    .map(({ name, nextAt, rate, waiting }) => ({
      at: Math.max(nextAt, quietUntil, now),
      text: `zone ${name}: the next NoExecute taint, ${waiting.length} wait, ${paceText(rate)}`,
    }));

const evictions = ({ nodes, quietUntil }: RollCall): readonly NextStep[] =>
  nodes.flatMap(({ name: node, evictions: pods }) =>
    pods.map(({ name, fireAt, reason }) => ({
      at: Math.max(fireAt, quietUntil),
      text: `pod ${name} leaves ${node}: ${reason}`,
    })),
  );

/** The next steps, the soonest first. */
export const nextSteps = (view: RollCall, config: Config): readonly NextStep[] =>
  [...silences(view, config), ...taints(view), ...evictions(view)].toSorted((a, b) => a.at - b.at);

const isDown = ({ ready }: NodeLine): boolean => ready === 'Unknown' || ready === 'False';

const isStopped = ({ size, ready, rate, state }: ZoneLine): boolean =>
  ready < size && rate === 0 && state !== 'Initial';

const stopped = ({ zones }: RollCall): readonly string[] => {
  const still = zones.filter(isStopped);
  const isAll = zones.every(({ state, ready, size }) => state === 'FullDisruption' && ready < size);
  if (still.length > 0 && isAll) return ['no pod is evicted: every zone is down, so it may be the network'];
  return still.map(
    ({ name, size, ready }) => `zone ${name}: evictions stopped, ${size - ready} of ${size} nodes are down`,
  );
};

const quiet = ({ quietUntil, now }: RollCall): readonly string[] =>
  quietUntil > now ? [`evictions are paused until ${timeOfDay(quietUntil)}: the host was away`] : [];

/** A pod of a StatefulSet keeps its name until it is gone for sure, so nobody else may have it. */
export const heldPods = ({ nodes, work }: Pick<RollCall, 'nodes' | 'work'>): readonly string[] => {
  const sets = work.filter(({ kind }) => kind === 'statefulset').map(({ name }) => name);
  const isOfSet = (pod: string): boolean => sets.includes(pod.replace(/-\d+$/, ''));
  return nodes
    .filter(isDown)
    .flatMap(({ name: node, leaving }) =>
      leaving
        .filter(isOfSet)
        .map(
          (pod) =>
            `${pod} has no successor: it may still run on ${node}, until that answers or its Node is deleted`,
        ),
    );
};

const waiting = ({ waitingPods: [first, ...others] }: RollCall): readonly string[] =>
  first
    ? [
        `pod ${first.name} waits for a node${others.length === 0 ? '' : `, as ${others.length} more do`}: ${first.reason}`,
      ]
    : [];

/** Sentences about the current situation, without a time, most important first. */
export const situation = (view: RollCall, config: Config): readonly string[] => {
  const { nodes } = view;
  const down = nodes.filter(isDown).length;
  const unheard = nodes.filter(({ ready }) => ready === '-').length;
  const late = nodes.filter((node) => isLate(node, config)).length;
  if (nodes.length === 0) return ['no node has registered yet'];
  return [
    ...quiet(view),
    ...stopped(view),
    ...(unheard > 0 ? [`${unheard} of ${nodes.length} nodes have not reported Ready yet`] : []),
    ...(down > 0 ? [`${down} of ${nodes.length} nodes do not answer or are not ready`] : []),
    ...heldPods(view),
    ...waiting(view),
    ...(down + unheard + late === 0 && evictions(view).length === 0
      ? ['nothing is due: every node answers']
      : []),
  ];
};
