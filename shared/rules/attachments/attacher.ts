/** What an attacher writes into its objects. Source: kubernetes-csi/external-attacher pkg/controller. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { CSINode, VolumeAttachment } from '../../kube/types/storage.ts';
import { type EpochMs, toTime } from '../../kube/values/time.ts';
import { withAnnotation } from '../../kube/values/with-annotation.ts';
import { instanceKey } from '../cloud/instance.ts';
import { withoutFinalizer } from '../owners/garbage.ts';

/** The driver whose disks Rollcall can attach itself. */
export const EBS_DRIVER = 'ebs.csi.aws.com';
/** Holds a VolumeAttachment until the disk is off its machine, and a volume while it has VolumeAttachments. */
export const ATTACHER_FINALIZER = 'external-attacher/ebs-csi-aws-com';

/** The machine, by the name that the driver gives it. */
const MACHINE = 'csi.alpha.kubernetes.io/node-id';
/** Kubernetes refuses longer messages. */
const LONGEST_MESSAGE = 1_024;

/** Whether the attacher has the object on hold. */
export const isHeld = ({ metadata }: ApiObject): boolean =>
  metadata.finalizers?.includes(ATTACHER_FINALIZER) === true;

/** The object with the attacher's finalizer; the same one if it has it. */
export const withHold = <T extends ApiObject>(object: T): T => {
  if (isHeld(object)) return object;
  const finalizers = [...(object.metadata.finalizers ?? []), ATTACHER_FINALIZER];
  return { ...object, metadata: { ...object.metadata, finalizers } };
};

/** The machine that the VolumeAttachment remembers. */
export const machineKept = ({ metadata }: VolumeAttachment): string | undefined =>
  ownMember(metadata.annotations, MACHINE);

/** The VolumeAttachment on hold, with the machine: whoever ends it may find neither Node nor CSINode any more. */
export const heldFor = (attachment: VolumeAttachment, machine: string): VolumeAttachment => {
  const held = withHold(attachment);
  const metadata = withAnnotation(held.metadata, MACHINE, machine);
  return metadata === held.metadata ? held : { ...held, metadata };
};

/** The machine of a node: by the driver's own word, or else by the providerID of the Node. */
export const machineOf = (csiNode: CSINode | undefined, node: Node | undefined): string | undefined => {
  const driver = csiNode?.spec?.drivers?.find(({ name }) => name === EBS_DRIVER);
  const providerId = node?.spec?.providerID ?? '';
  return driver?.nodeID ?? (providerId === '' ? undefined : instanceKey(providerId));
};

/** Why the work of an attacher is over, or not begun: it has a VolumeAttachment of its driver to attach, to detach, or neither. */
export const phaseOf = (attachment: VolumeAttachment): 'attach' | 'detach' | undefined => {
  if (attachment.spec?.attacher !== EBS_DRIVER) return undefined;
  if (attachment.metadata.deletionTimestamp !== undefined) return isHeld(attachment) ? 'detach' : undefined;
  return attachment.status?.attached === true ? undefined : 'attach';
};

/** The VolumeAttachment of a disk that is at its machine. */
export const withAttached = (attachment: VolumeAttachment, device: string): VolumeAttachment => {
  const { attachError: _over, ...status } = attachment.status ?? {};
  return { ...attachment, status: { ...status, attached: true, attachmentMetadata: { devicePath: device } } };
};

/** The VolumeAttachment of a disk that is off its machine: the attacher lets it go. */
export const withDetached = (attachment: VolumeAttachment): VolumeAttachment => {
  const { detachError: _over, attachmentMetadata: _device, ...status } = attachment.status ?? {};
  return { ...withoutFinalizer(attachment, ATTACHER_FINALIZER), status: { ...status, attached: false } };
};

/** The VolumeAttachment with the error; the same one if it tells the same error already. */
export const withError = (
  attachment: VolumeAttachment,
  which: 'attachError' | 'detachError',
  text: string,
  now: EpochMs,
): VolumeAttachment => {
  const message = text.slice(0, LONGEST_MESSAGE);
  const { status = {} } = attachment;
  if (status[which]?.message === message) return attachment;
  return { ...attachment, status: { ...status, [which]: { time: toTime(now), message } } };
};
