import type { Node } from '../../shared/kube/types/core.ts';
import type { VolumeAttachment } from '../../shared/kube/types/storage.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { attachableOf, isManaged } from '../../shared/rules/attachments/attachable.ts';
import { volumesAttachedOf } from '../../shared/rules/attachments/volumes-attached.ts';
import { boundVolumeOf, wantsVolumes } from '../../shared/rules/attachments/wanted-volumes.ts';
import { readyStatusOf } from '../../shared/rules/nodes/node-conditions.ts';
import { hasOutOfServiceTaint } from '../../shared/rules/nodes/out-of-service.ts';
import { sameJson } from '../../shared/store/commit/object-diff.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { nodeNameOf, podOf, type Step } from '../contract/step.ts';
import type { AttachDetachMessage } from './message.ts';

type Messages = readonly Outgoing<AttachDetachMessage>[];

const node = (name = ''): Messages => (name === '' ? [] : [{ body: { v: 1, kind: 'node', name } }]);
const volume = (name = ''): Messages => (name === '' ? [] : [{ body: { v: 1, kind: 'volume', name } }]);

const wants = (row: LiveRow | undefined): boolean => {
  const pod = podOf(row);
  return pod !== undefined && wantsVolumes(pod);
};

const ofPod = ({ before, after }: Step): Messages =>
  wants(before) === wants(after) ? [] : node(nodeNameOf(after) || nodeNameOf(before));

/** The parts of a node that say whether volumes may come and go. */
const partOf = (row: LiveRow | undefined): unknown => {
  if (!row) return undefined;
  const object: Node = row.object;
  const attached = volumesAttachedOf(object);
  // Whether the node is ready matters only while it has volumes.
  const ready = attached.length > 0 ? readyStatusOf(object) : undefined;
  const inUse = object.status?.['volumesInUse'] ?? [];
  return [isManaged(object), attached, ready, inUse, hasOutOfServiceTaint(object)];
};

const ofNode = ({ key, before, after }: Step): Messages => {
  const isConcerned = [before, after].some((row) => row && isManaged(row.object));
  return isConcerned && !sameJson(partOf(before), partOf(after)) ? node(key.name) : [];
};

const attachmentPart = (row: LiveRow | undefined): unknown => {
  const attachment: VolumeAttachment | undefined = row?.object;
  const { attached, attachError } = attachment?.status ?? {};
  return attachment && [row?.uid, attachment.metadata.deletionTimestamp, attached, attachError];
};

const ofAttachment = ({ before, after }: Step): Messages => {
  if (sameJson(attachmentPart(before), attachmentPart(after))) return [];
  const { spec }: VolumeAttachment = (after ?? before)?.object ?? {
    kind: '',
    apiVersion: '',
    metadata: { name: '' },
  };
  const waiting = after ? [] : volume(spec?.source?.persistentVolumeName);
  return [...node(spec?.nodeName), ...waiting];
};

const ofClaim = ({ key: { namespace, name }, before, after }: Step): Messages =>
  after && boundVolumeOf(after.object) !== '' && boundVolumeOf(before?.object) === ''
    ? [{ body: { v: 1, kind: 'claim', namespace, name } }]
    : [];

const ofVolume = ({ key, before, after }: Step): Messages => {
  const isNews = after && !sameJson(before && attachableOf(before.object), attachableOf(after.object));
  return isNews ? volume(key.name) : [];
};

const ROUTES: Readonly<Record<string, (step: Step) => Messages>> = {
  pods: ofPod,
  nodes: ofNode,
  volumeattachments: ofAttachment,
  persistentvolumeclaims: ofClaim,
  persistentvolumes: ofVolume,
};

/** Messages for nodes whose pods want other volumes, or whose volumes come and go. A resync of nodes sends none: the sweep looks at all. */
export const routing: Routing<AttachDetachMessage> = {
  route: (step) => ROUTES[step.key.resource]?.(step) ?? [],
  resync: async () => [],
};
