import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { SchedulerWakeUp } from '../../shared/ports/process/messages.ts';
import { takesRoom } from '../../shared/rules/scheduling/cluster/cluster.ts';
import { awaitsAnyScheduler } from '../../shared/rules/scheduling/pending.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { podOf, type Step } from '../contract/step.ts';

type Messages = readonly Outgoing<SchedulerWakeUp>[];

const NONE: Messages = [];
const POD: Messages = [{ body: { v: 1, kind: 'pod' } }];
const CHANGE: Messages = [{ body: { v: 1, kind: 'change' } }];

/** Resources besides Nodes and Pods of which a change can help a pod that waits. */
const HELPFUL: ReadonlySet<string> = new Set([
  'csinodes',
  'namespaces',
  'persistentvolumeclaims',
  'persistentvolumes',
  'storageclasses',
]);

/** What of a Node decides which pods it takes. */
const nodePart = (node: Node | undefined): unknown =>
  node && [node.metadata.uid, node.metadata.labels ?? {}, node.spec ?? {}, node.status?.allocatable ?? {}];

const ofNode = ({ before, after }: Step): Messages =>
  sameJson(nodePart(before?.object), nodePart(after?.object)) ? NONE : CHANGE;

/** What of a waiting pod decides where it goes. */
const wantedPart = ({ metadata, spec }: Pod): unknown => [metadata.uid, metadata.labels ?? {}, spec];

/** What of a bound pod decides which others its node takes. */
const boundPart = (pod: Pod | undefined): unknown =>
  pod?.spec.nodeName && takesRoom(pod)
    ? [
        pod.metadata.uid,
        pod.metadata.labels ?? {},
        pod.metadata.deletionTimestamp === undefined,
        pod.spec.nodeName,
        pod.spec['containers'],
        pod.status?.['containerStatuses'],
      ]
    : null;

const ofPod = (step: Step): Messages => {
  const [before, after] = [podOf(step.before), podOf(step.after)];
  if (after && awaitsAnyScheduler(after))
    return before && awaitsAnyScheduler(before) && sameJson(wantedPart(before), wantedPart(after))
      ? NONE
      : POD;
  return sameJson(boundPart(before), boundPart(after)) ? NONE : CHANGE;
};

/** Messages for pods that wait for a scheduler, whichever it is, and for changes that could help one of them. */
export const routing: Routing<SchedulerWakeUp> = {
  route: (step) => {
    const { resource } = step.key;
    if (resource === 'nodes') return ofNode(step);
    if (resource === 'pods') return ofPod(step);
    return HELPFUL.has(resource) ? CHANGE : NONE;
  },
  // The flush makes up for what the stream lost.
  resync: async () => NONE,
};
