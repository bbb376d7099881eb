/** Which changes wake a pod that fits nowhere. Source: kubernetes v1.34 scheduler queueing hints (`EventsToRegister`). */

import { deepEqual } from '../../kube/json/deep-equal.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import { NODE_HINTS } from './node-hints.ts';
import type { ObjectChange } from './object-change.ts';
import { boundPodChange, nodeChange } from './object-change.ts';
import { POD_HINTS } from './pod-hints.ts';
import type { NamespaceLabels } from './pods/placement.ts';
import { schedulingSpec } from './pods/scheduling-spec.ts';
import { claimNameOf } from './pods/storage.ts';

/** An attempt that failed, as it is remembered with the pod. */
export interface Refused {
  readonly pod: Pod;
  /** The plugins that refused it; empty if there was no node. */
  readonly plugins: ReadonlySet<string>;
}

/** Kinds about storage of which a new or changed object can help, by the name of the plugin. */
const STORAGE: Readonly<Record<string, readonly string[]>> = {
  VolumeRestrictions: ['PersistentVolumeClaim'],
  NodeVolumeLimits: ['CSINode', 'PersistentVolumeClaim'],
  VolumeBinding: ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass', 'CSINode'],
  VolumeZone: ['PersistentVolumeClaim', 'PersistentVolume', 'StorageClass'],
};

/** Whether the pod uses the claim. */
const claims = (pod: Pod, { kind, metadata }: ApiObject): boolean =>
  kind !== 'PersistentVolumeClaim' ||
  (metadata.namespace === pod.metadata.namespace &&
    (schedulingSpec(pod).volumes ?? []).some(
      (volume) => claimNameOf(volume, pod.metadata.name) === metadata.name,
    ));

const storageHelps = (plugin: string, pod: Pod, after: ApiObject | undefined): boolean =>
  after !== undefined && (ownMember(STORAGE, plugin) ?? []).includes(after.kind) && claims(pod, after);

/** Whether the waiting pod itself was changed by a client: then every refusal may be out of date. */
const isItself = ({ before, after }: ObjectChange, { metadata }: Pod): boolean =>
  after?.kind === 'Pod' &&
  after.metadata.uid === metadata.uid &&
  before !== undefined &&
  !deepEqual([(before as Pod).spec, before.metadata.labels], [(after as Pod).spec, after.metadata.labels]);

const helpsPlugin = (
  plugin: string,
  pod: Pod,
  change: ObjectChange,
  namespaces: NamespaceLabels,
): boolean => {
  const [node, bound] = [nodeChange(change), boundPodChange(change)];
  if (node) return ownMember(NODE_HINTS, plugin)?.(pod, node) ?? false;
  if (bound) return ownMember(POD_HINTS, plugin)?.(pod, bound, namespaces) ?? false;
  return storageHelps(plugin, pod, change.after);
};

/**
 * Whether the change can make a node take the pod, judged by the plugins that refused it. A pod for which there was no node
 * is helped by a new one.
 */
export const couldHelp = (
  change: ObjectChange,
  { pod, plugins }: Refused,
  namespaces: NamespaceLabels,
): boolean => {
  if (isItself(change, pod)) return true;
  if (plugins.size === 0) return change.after?.kind === 'Node' && change.before === undefined;
  const names = [...plugins].flatMap((plugin) => plugin.split(' '));
  return names.some((plugin) => helpsPlugin(plugin, pod, change, namespaces));
};
