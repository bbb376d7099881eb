/** How a DaemonSet replaces pods of older revisions. Source: kubernetes v1.34 pkg/controller/daemon `rollingUpdate`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { EpochMs } from '../../../kube/values/time.ts';
import { isAvailable } from '../children/pod-state.ts';
import { minReadySecondsOf } from '../replica-set/replica-set-status.ts';
import { hashOfPod } from './daemon-pod.ts';
import { type DaemonActions, type DaemonView, NO_ACTIONS } from './daemon-set.ts';
import { surgeOf, unavailableOf } from './daemon-strategy.ts';

/** The pods of one node that are not being deleted, by revision. */
interface NodePods {
  readonly node: string;
  readonly fresh?: Pod;
  readonly old?: Pod;
  /** Several of one revision: they are pruned first. */
  readonly isCrowded: boolean;
}

const sorted = (node: string, pods: readonly Pod[], hash: string): NodePods => {
  const present = pods.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  const fresh = present.filter((pod) => hashOfPod(pod) === hash);
  const old = present.filter((pod) => hashOfPod(pod) !== hash);
  return {
    node,
    ...(fresh[0] ? { fresh: fresh[0] } : {}),
    ...(old[0] ? { old: old[0] } : {}),
    isCrowded: fresh.length > 1 || old.length > 1,
  };
};

/** All nodes with pods, and those where one should run. */
const nodesOf = ({ verdicts, pods, hash }: DaemonView): readonly NodePods[] => {
  const wanted = [...verdicts].flatMap(([node, { shouldRun }]) => (shouldRun ? [node] : []));
  return [...new Set([...pods.keys(), ...wanted])].map((node) => sorted(node, pods.get(node) ?? [], hash));
};

const desiredOf = ({ verdicts }: DaemonView): number =>
  [...verdicts.values()].filter(({ shouldRun }) => shouldRun).length;

/** Old pods are deleted while fewer than `maxUnavailable` nodes are without an available pod (W-116). */
const deleteFirst = (view: DaemonView, isUp: (pod: Pod) => boolean): DaemonActions => {
  const nodes = nodesOf(view);
  const onlyOld = nodes.filter(({ old, fresh, isCrowded }) => old && !fresh && !isCrowded);
  const broken = onlyOld.flatMap(({ old }) => (old && !isUp(old) ? [old] : []));
  const candidates = onlyOld.flatMap(({ old }) => (old && isUp(old) ? [old] : []));
  const settled = nodes.filter(({ fresh, old, isCrowded }) => fresh && !old && !isCrowded && isUp(fresh));
  const unavailable = nodes.length - candidates.length - settled.length;
  const room = Math.max(0, unavailableOf(view.owner, desiredOf(view)) - unavailable);
  return { ...NO_ACTIONS, delete: [...broken, ...candidates.slice(0, room)] };
};

/** A node with an old pod and no new one. */
type OldNode = NodePods & { readonly old: Pod };

/**
 * A second pod is made on up to `maxSurge` nodes, and the old one deleted when the new one is available (W-117). Where no pod should
 * run any more, an available old pod stays until enough others are available.
 */
const createFirst = (view: DaemonView, isUp: (pod: Pod) => boolean): DaemonActions => {
  const nodes = nodesOf(view);
  const desired = desiredOf(view);
  const clear = nodes.filter(({ isCrowded }) => !isCrowded);
  const both = clear.filter(({ fresh, old }) => fresh && old);
  const onlyOld = clear.filter((one): one is OldNode => one.old !== undefined && !one.fresh);
  const shouldRun = ({ node }: NodePods): boolean => view.verdicts.get(node)?.shouldRun === true;
  const replaced = both.flatMap(({ fresh, old }) => (fresh && old && isUp(fresh) ? [old] : []));
  const surging = nodes.length - clear.length + both.length - replaced.length;
  const available = clear.filter(({ old, fresh }) => isUpOf(old ?? fresh, isUp)).length;
  const [unwanted, wanted] = [onlyOld.filter((one) => !shouldRun(one)), onlyOld.filter(shouldRun)];
  const retired = unwanted.filter(({ old }) => isUp(old)).slice(0, Math.max(0, available - desired));
  const broken = unwanted.filter(({ old }) => !isUp(old));
  const room = Math.max(0, surgeOf(view.owner, desired) - surging);
  const [down, up] = [wanted.filter(({ old }) => !isUp(old)), wanted.filter(({ old }) => isUp(old))];
  return {
    ...NO_ACTIONS,
    create: [...down, ...up.slice(0, room)].map(({ node }) => ({ node, failures: 0 })),
    delete: [...replaced, ...[...broken, ...retired].map(({ old }) => old)],
  };
};

const isUpOf = (pod: Pod | undefined, isUp: (pod: Pod) => boolean): boolean => pod !== undefined && isUp(pod);

/** The next step of an update, at `now` (ms). It is taken when `manageDaemons` has nothing to do. */
export const updateDaemons = (view: DaemonView, now: EpochMs): DaemonActions => {
  const seconds = minReadySecondsOf(view.owner);
  const isUp = (pod: Pod): boolean => isAvailable(pod, seconds, now);
  return surgeOf(view.owner, desiredOf(view)) === 0 ? deleteFirst(view, isUp) : createFirst(view, isUp);
};
