/** Predicts from what is stored what the control plane will do next, when, and why. */
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { NODE_LIFECYCLE_DEFAULTS, type NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import { firstPassAfter } from '../nodes/node-health.ts';
import { drainTurns } from './drain-line.ts';
import type { NodeLine } from './node-line.ts';
import { isLate } from './node-marks.ts';
import type { RollCall } from './roll-call.ts';
import { ageText, spanText } from './units.ts';
import { slotOf, type ZoneLine } from './zone-lines.ts';

/** What kind of thing happens. */
export type StepKind = 'unknown' | 'taint' | 'eviction' | 'drain';

/** Something that will happen at `at`, and to what. */
export interface NextStep {
  readonly at: EpochMs;
  readonly kind: StepKind;
  /** What happens, and why. */
  readonly text: string;
  /** What becomes of the node or the pod: `becomes Unknown`. */
  readonly what: string;
  readonly why: string;
  readonly zone: string;
  readonly node: string;
  /** `namespace/name`. */
  readonly pod?: string;
}

/** The settings on which it depends when a node becomes Unknown. */
export type Monitoring = Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs' | 'nodeMonitorPeriodMs'>;

/** How many passes of the monitor a grace period has by default. */
const PASSES = NODE_LIFECYCLE_DEFAULTS.nodeMonitorGracePeriodMs / NODE_LIFECYCLE_DEFAULTS.nodeMonitorPeriodMs;

/** The settings by a grace period (ms) alone, for whoever does not know the other one: as many passes as by default. */
export const monitoringOf = (nodeMonitorGracePeriodMs: number): Monitoring => ({
  nodeMonitorGracePeriodMs,
  nodeMonitorPeriodMs: nodeMonitorGracePeriodMs / PASSES,
});

/** What is read of a node. */
export interface StepNode extends Pick<NodeLine, 'name' | 'zone' | 'ready' | 'evictions'> {
  readonly beatAt?: EpochMs | undefined;
  /** By the monitor's rule; absent: by `beatAt` and the grace period; infinite: at no instant of its own. */
  readonly unknownAt?: EpochMs | undefined;
  readonly drain?: NodeLine['drain'] | undefined;
  /** How long this one may be silent, ms; absent: as the settings say. */
  readonly graceMs?: number | undefined;
}

/** What is read of a zone. */
export interface StepZone extends Pick<ZoneLine, 'name' | 'rate' | 'nextAt' | 'waiting'> {
  /** How many wait, if `waiting` is only the beginning of their line. */
  readonly waitingCount?: number | undefined;
}

/** What is read of a roll call. */
export interface StepView extends Pick<RollCall, 'now' | 'quietUntil'> {
  readonly nodes: readonly StepNode[];
  readonly zones: readonly StepZone[];
}

/** The first pass after the grace period: what a Lease alone tells. Policies and absences of the host are known to the monitor only. */
const byLease = (beatAt: EpochMs, config: Monitoring): EpochMs =>
  firstPassAfter(beatAt + config.nodeMonitorGracePeriodMs, config.nodeMonitorPeriodMs);

/** `silent for 20s of 40s`; after the grace period only for how long. */
const silentText = (silentMs: number, { nodeMonitorGracePeriodMs: graceMs }: Monitoring): string =>
  silentMs <= graceMs
    ? `silent for ${ageText(silentMs)} of ${spanText(graceMs)}`
    : `silent for ${ageText(silentMs)}`;

const told = (who: string, what: string, why: string): Pick<NextStep, 'text' | 'what' | 'why'> => ({
  text: `${who} ${what}: ${why}`,
  what,
  why,
});

const silences = ({ nodes, now }: StepView, config: Monitoring): readonly NextStep[] =>
  nodes.flatMap((node) => {
    const { name, zone, beatAt, graceMs, unknownAt } = node;
    const own = graceMs === undefined ? config : monitoringOf(graceMs);
    if (beatAt === undefined || !isLate({ ...node, ...optional('beatAt', beatAt) }, now, own)) return [];
    const at = unknownAt ?? byLease(beatAt, own);
    // A pass was due and the node is ready: the monitor knows more than this forecast, which is wrong.
    if (at + own.nodeMonitorPeriodMs <= now || at === Number.POSITIVE_INFINITY) return [];
    const words = told(name, 'becomes Unknown', silentText(now - beatAt, own));
    return [{ at, kind: 'unknown', ...words, zone, node: name }];
  });

/** Taints of a zone that are told one by one; nobody waits to read the hundredth. */
const MOST_TAINTS = 3;

const taints = ({ zones, now, quietUntil }: StepView): readonly NextStep[] =>
  zones.flatMap((zone) =>
    zone.waiting.slice(0, MOST_TAINTS).flatMap((node, ahead): readonly NextStep[] => {
      const at = slotOf(zone, ahead, Math.max(now, quietUntil));
      if (at === undefined) return [];
      const place = `number ${ahead + 1} of ${zone.waitingCount ?? zone.waiting.length} in zone ${zone.name}`;
      const why = `${place}, one each ${spanText(1000 / zone.rate)}`;
      const words = told(node, 'gets its NoExecute taint', why);
      return [{ at, kind: 'taint', ...words, zone: zone.name, node }];
    }),
  );

const evictions = ({ nodes, quietUntil }: StepView): readonly NextStep[] =>
  nodes.flatMap(({ name: node, zone, evictions: pods }) =>
    pods.map(({ namespace, name, fireAt, reason }) => ({
      at: Math.max(fireAt, quietUntil),
      kind: 'eviction' as const,
      ...told(`pod ${name}`, `leaves ${node}`, reason),
      zone,
      node,
      pod: `${namespace}/${name}`,
    })),
  );

const drains = ({ nodes, now }: StepView): readonly NextStep[] =>
  nodes.flatMap(({ name: node, zone, drain }) =>
    (drain ? drainTurns(drain) : [])
      .filter(({ at }) => at > now)
      .map(({ at, what, why }) => ({
        at,
        kind: 'drain' as const,
        ...told(`the drain of ${node}`, what, why),
        zone,
        node,
      })),
  );

/** The next steps, the soonest first. */
export const nextSteps = (view: StepView, config: Monitoring): readonly NextStep[] =>
  [...silences(view, config), ...taints(view), ...evictions(view), ...drains(view)].toSorted(
    (a, b) => a.at - b.at,
  );
