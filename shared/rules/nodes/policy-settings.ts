/** The settings that hold for a zone and for a node: each from the first policy that sets it, else from the configuration. */

import { selects } from '../../kube/selector/object-selector.ts';
import type {
  DrainBeforeLost,
  LifecyclePolicy,
  LifecyclePolicySpec,
  ON_PARTITION,
} from '../../kube/types/lifecycle-policy.ts';
import { optional } from '../../kube/values/optional.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import type { GraceRange } from '../patience/adaptive-grace.ts';
import { type Labels, zoneIdOf } from '../zones/zone-names.ts';
import type { ZoneRules } from '../zones/zone-rules.ts';

/** Nodes that lose their readiness often keep their NoExecute taint for a while. Durations in ms. */
export interface Damping {
  readonly losses: number;
  readonly withinMs: number;
  readonly stableMs: number;
}

/** The settings of one node. */
export interface NodeSettings {
  readonly nodeMonitorGracePeriodMs: number;
  readonly nodeStartupGracePeriodMs: number;
  readonly adaptiveGrace?: GraceRange;
  readonly damping?: Damping;
  /** With the name of the policy that says so. */
  readonly drain?: DrainBeforeLost & { readonly policy: string };
  /** What happens while its site is cut off; absent: `Hold`. */
  readonly onPartition?: (typeof ON_PARTITION)[number];
}

/** The policies that select a node, and what they say. The same object for the same policies. */
export interface Selection {
  /** Their names, in the order of precedence. */
  readonly names: readonly string[];
  readonly settings: NodeSettings;
}

/** What the policies say, for a whole pass. */
export interface LifecycleSettings {
  /** Of a zone, by its key. The same object for the same key. */
  zone(key: string): ZoneRules;
  /** The policies for a node, by the key of its zone. `labels` may be absent if `needsLabels` is false; the same object is asked of the selectors once. */
  selection(zone: string, labels: Labels | undefined): Selection;
  /** The settings of that selection. */
  node(zone: string, labels: Labels | undefined): NodeSettings;
  /** Whether a policy selects nodes by labels. */
  readonly needsLabels: boolean;
  /** Whether a policy says when nodes are drained. */
  readonly drains: boolean;
  /** Whether a policy drains nodes whose machine is shutting down. */
  readonly asksForShutdown: boolean;
  /** Whether the grace periods of nodes adapt by a policy. */
  readonly adaptsGrace: boolean;
  /** Whether a policy paces the nodes of a disrupted zone that become Unknown. */
  readonly paces: boolean;
}

/** What a policy says, with its name, and its name and generation. */
interface NamedSpec extends LifecyclePolicySpec {
  readonly name: string;
  readonly stamp: string;
}

type Specs = readonly NamedSpec[];

const namedSpec = ({ metadata: { name, generation = 1 }, spec }: LifecyclePolicy): NamedSpec => ({
  ...spec,
  name,
  stamp: `${name}/${generation}`,
});

const first = <T>(specs: Specs, field: (spec: LifecyclePolicySpec) => T | undefined): T | undefined => {
  for (const spec of specs) {
    const value = field(spec);
    if (value !== undefined) return value;
  }
  return undefined;
};

const milliseconds = (seconds: number | undefined, otherwise: number): number =>
  seconds === undefined ? otherwise : seconds * 1000;

const adaptiveGraceOf = (specs: Specs): Pick<NodeSettings, 'adaptiveGrace'> => {
  const range = first(specs, (spec) => spec.adaptiveGrace);
  return range
    ? { adaptiveGrace: { floorMs: range.floorSeconds * 1000, ceilingMs: range.ceilingSeconds * 1000 } }
    : {};
};

const dampingOf = (specs: Specs): Pick<NodeSettings, 'damping'> => {
  const {
    losses = 3,
    withinSeconds = 600,
    stableSeconds = 120,
  } = first(specs, (spec) => spec.flapDamping) ?? {};
  const isSet = specs.some(({ flapDamping }) => flapDamping !== undefined);
  return isSet ? { damping: { losses, withinMs: withinSeconds * 1000, stableMs: stableSeconds * 1000 } } : {};
};

const drainOf = (specs: Specs): Pick<NodeSettings, 'drain'> => {
  const found = specs.find(({ drainBeforeLost }) => drainBeforeLost !== undefined);
  return found?.drainBeforeLost ? { drain: { ...found.drainBeforeLost, policy: found.name } } : {};
};

const nodeSettings = (specs: Specs, config: NodeLifecycleConfig): NodeSettings => ({
  nodeMonitorGracePeriodMs: milliseconds(
    first(specs, (spec) => spec.nodeMonitorGracePeriodSeconds),
    config.nodeMonitorGracePeriodMs,
  ),
  nodeStartupGracePeriodMs: milliseconds(
    first(specs, (spec) => spec.nodeStartupGracePeriodSeconds),
    config.nodeStartupGracePeriodMs,
  ),
  ...adaptiveGraceOf(specs),
  ...dampingOf(specs),
  ...drainOf(specs),
  ...optional(
    'onPartition',
    first(specs, (spec) => spec.onPartition),
  ),
});

const zoneRules = (specs: Specs, config: NodeLifecycleConfig): ZoneRules => ({
  nodeEvictionRate: first(specs, (spec) => spec.nodeEvictionRate) ?? config.nodeEvictionRate,
  secondaryNodeEvictionRate:
    first(specs, (spec) => spec.secondaryNodeEvictionRate) ?? config.secondaryNodeEvictionRate,
  largeClusterSizeThreshold:
    first(specs, (spec) => spec.largeClusterSizeThreshold) ?? config.largeClusterSizeThreshold,
  unhealthyZoneThreshold:
    first(specs, (spec) => spec.unhealthyZoneThreshold) ?? config.unhealthyZoneThreshold,
  ...optional(
    'fullDisruption',
    first(specs, (spec) => spec.fullDisruption),
  ),
  ...optional(
    'pacedNotReadyRate',
    first(specs, (spec) => spec.pacedNotReadyRate),
  ),
  ...(specs.length === 0 ? {} : { policies: specs.map(({ stamp }) => stamp).join(' ') }),
});

const selectsZone = ({ zones }: LifecyclePolicySpec, zone: string): boolean =>
  zones === undefined || zones.includes(zone);

const selectsLabels = ({ nodeSelector }: LifecyclePolicySpec, labels: Labels | undefined): boolean =>
  nodeSelector === undefined || selects(nodeSelector, labels);

/** Whether a policy selects a node with these labels in the zone of this name. */
export const selectsNode = (spec: LifecyclePolicySpec, zone: string, labels: Labels | undefined): boolean =>
  selectsZone(spec, zone) && selectsLabels(spec, labels);

const remembered = <T extends object>(make: (key: string) => T): ((key: string) => T) => {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found) return found;
    const made = make(key);
    known.set(key, made);
    return made;
  };
};

/** `accepted` in the order of precedence, see `heldPolicies`. Without policies every zone and node has the configuration. */
export const lifecycleSettings = (
  accepted: readonly LifecyclePolicy[],
  config: NodeLifecycleConfig,
): LifecycleSettings => {
  const specs = accepted.map(namedSpec);
  const zoneOf = remembered((key) => {
    const id = zoneIdOf(key);
    const selecting = specs.filter((spec) => selectsZone(spec, id));
    const ofAllNodes = selecting.filter(({ nodeSelector }) => nodeSelector === undefined);
    return { selecting, rules: zoneRules(ofAllNodes, config) };
  });
  // Selections repeat: nodes that the same policies select share one.
  const bySelection = new Map<string, Selection>();
  const select = (zone: string, labels: Labels | undefined): Selection => {
    const holding = zoneOf(zone).selecting.filter((spec) => selectsLabels(spec, labels));
    const names = holding.map(({ name }) => name);
    const key = names.join(' ');
    const selection = bySelection.get(key) ?? { names, settings: nodeSettings(holding, config) };
    bySelection.set(key, selection);
    return selection;
  };
  const byLabels = new WeakMap<Labels, { readonly zone: string; readonly selection: Selection }>();
  const selectByLabels = (zone: string, labels: Labels | undefined): Selection => {
    const known = labels && byLabels.get(labels);
    if (known?.zone === zone) return known.selection;
    const selection = select(zone, labels);
    if (labels) byLabels.set(labels, { zone, selection });
    return selection;
  };
  const selectByZone = remembered((zone) => select(zone, undefined));
  const needsLabels = specs.some(({ nodeSelector }) => nodeSelector !== undefined);
  const selection = (zone: string, labels: Labels | undefined): Selection =>
    needsLabels ? selectByLabels(zone, labels) : selectByZone(zone);
  return {
    needsLabels,
    drains: specs.some(({ drainBeforeLost }) => drainBeforeLost !== undefined),
    asksForShutdown: specs.some(({ drainBeforeLost }) => drainBeforeLost?.whenShuttingDown === true),
    adaptsGrace: specs.some(({ adaptiveGrace }) => adaptiveGrace !== undefined),
    paces: specs.some(({ pacedNotReadyRate }) => pacedNotReadyRate !== undefined),
    zone: (key) => zoneOf(key).rules,
    selection,
    node: (zone, labels) => selection(zone, labels).settings,
  };
};
