/** On which nodes a DaemonSet has pods. Source: kubernetes v1.34 pkg/controller/daemon `NodeShouldRunDaemonPod`. */
import type { Node, PodSpec, Taint, Toleration } from '../../../kube/types/core.ts';
import type { Workload } from '../../../kube/types/workloads.ts';
import { taintsOf } from '../../nodes/taints.ts';
import { firstTolerating } from '../../pods/tolerations.ts';
import { requiredNodeAffinity } from '../../scheduling/filters/node-affinity.ts';
import { daemonTolerations } from './daemon-pod.ts';

/** What a DaemonSet wants on a node. */
export interface NodeVerdict {
  /** A pod is created if there is none. */
  readonly shouldRun: boolean;
  /** A pod that is there stays. */
  readonly shouldContinue: boolean;
}

const BOTH: NodeVerdict = { shouldRun: true, shouldContinue: true };
const STAYS: NodeVerdict = { shouldRun: false, shouldContinue: true };
const NEITHER: NodeVerdict = { shouldRun: false, shouldContinue: false };

const templateSpec = ({ spec }: Workload): PodSpec => spec?.template?.spec ?? {};

const isUntolerated = (tolerations: readonly Toleration[], taint: Taint): boolean =>
  taint.effect !== 'PreferNoSchedule' && firstTolerating(tolerations, taint) === undefined;

/** Reads a DaemonSet, so that many nodes can be judged by it (W-109). */
export const daemonNodeRule = (owner: Workload): ((node: Node) => NodeVerdict) => {
  const spec = templateSpec(owner);
  const matches = requiredNodeAffinity({ ...owner, spec, metadata: owner.metadata });
  const tolerations = daemonTolerations(spec);
  return (node) => {
    if ((spec.nodeName ?? '') !== '' && spec.nodeName !== node.metadata.name) return NEITHER;
    if (!matches(node)) return NEITHER;
    const untolerated = taintsOf(node).filter((taint) => isUntolerated(tolerations, taint));
    if (untolerated.length === 0) return BOTH;
    return untolerated.some(({ effect }) => effect === 'NoExecute') ? NEITHER : STAYS;
  };
};

/** A taint that nodes have or had; its value is empty where it has none. */
type NewsOfTaint = Taint & { readonly value: string };

/** What of Nodes has changed, as far as it decides where pods of DaemonSets run. */
export interface NodeNews {
  /** Keys of labels. */
  readonly labels: readonly string[];
  readonly taints: readonly NewsOfTaint[];
}

interface Requirement {
  readonly key?: string;
}
interface SelectorTerm {
  readonly matchExpressions?: readonly Requirement[];
}

const selectedLabels = (spec: PodSpec): ReadonlySet<string> => {
  const { nodeSelector = {}, affinity } = spec as {
    readonly nodeSelector?: Readonly<Record<string, string>>;
    readonly affinity?: {
      readonly nodeAffinity?: {
        readonly requiredDuringSchedulingIgnoredDuringExecution?: {
          readonly nodeSelectorTerms?: readonly SelectorTerm[];
        };
      };
    };
  };
  const { nodeSelectorTerms = [] } =
    affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution ?? {};
  const expressions = nodeSelectorTerms.flatMap(({ matchExpressions = [] }) => matchExpressions);
  return new Set([...Object.keys(nodeSelector), ...expressions.map(({ key = '' }) => key)]);
};

/** Whether the news about nodes may change the answer of `daemonNodeRule` for one of them (W-110). */
export const mayMatterTo = (owner: Workload, { labels, taints }: NodeNews): boolean => {
  const spec = templateSpec(owner);
  const selected = selectedLabels(spec);
  const tolerations = daemonTolerations(spec);
  return labels.some((key) => selected.has(key)) || taints.some((taint) => isUntolerated(tolerations, taint));
};

const asText = ({ key, value = '', effect }: Taint): string => JSON.stringify([key, value, effect]);

/** Taints that one of the nodes has and the other one has not; the time of a taint does not matter. */
const changedTaints = (before: Node, after: Node): readonly NewsOfTaint[] => {
  const [old, now] = [before, after].map((node) => new Set(taintsOf(node).map(asText)));
  const differs = (taint: Taint): boolean => !(old?.has(asText(taint)) && now?.has(asText(taint)));
  return [...taintsOf(before), ...taintsOf(after)]
    .filter(differs)
    .map(({ key, value = '', effect }) => ({ key, value, effect }));
};

/** What has changed from one state of a Node to another one. */
export const nodeNews = (before: Node, after: Node): NodeNews => {
  const [old, now] = [before.metadata.labels ?? {}, after.metadata.labels ?? {}];
  const keys = new Set([...Object.keys(old), ...Object.keys(now)]);
  return {
    labels: [...keys].filter((key) => old[key] !== now[key]),
    taints: changedTaints(before, after),
  };
};
