import type { PersistentVolume, VolumeAttachment } from '../../shared/kube/types/storage.ts';
import { chunksOf } from '../../shared/kube/values/chunks-of.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { EBS_DRIVER, isHeld, phaseOf } from '../../shared/rules/attachments/attacher.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import type { Step } from '../contract/step.ts';
import type { VolumeAttacherMessage } from './message.ts';

type Messages = readonly Outgoing<VolumeAttacherMessage>[];
type VolumesMessage = Extract<VolumeAttacherMessage, { readonly kind: 'volumes' }>;

/** Volumes of one message. */
const BATCH = 100;

const phaseIn = (row: LiveRow | undefined): string | undefined => row && phaseOf(row.object);

/** One that is gone may have been the last one of a volume that is being deleted. */
const ofGone = (attachment: VolumeAttachment): Messages => {
  const volume = attachment.spec?.source?.persistentVolumeName;
  const isOwn = attachment.spec?.attacher === EBS_DRIVER && volume !== undefined;
  return isOwn ? [{ body: { v: 1, kind: 'volumes', names: [volume] } }] : [];
};

const ofAttachment = ({ key: { name }, before, after }: Step): Messages => {
  const was = before?.uid === after?.uid ? before : undefined;
  const gone = before && before !== was ? ofGone(before.object) : [];
  const phase = phaseIn(after);
  return phase !== undefined && phase !== phaseIn(was)
    ? [...gone, { body: { v: 1, kind: 'attachment', name } }]
    : gone;
};

const isGoing = (row: LiveRow | undefined): boolean => {
  const volume: PersistentVolume | undefined = row?.object;
  return volume?.metadata.deletionTimestamp !== undefined && isHeld(volume);
};

const ofVolume = ({ key: { name }, before, after }: Step): Messages =>
  isGoing(after) && !isGoing(before) ? [{ body: { v: 1, kind: 'volumes', names: [name] } }] : [];

const ROUTES: Readonly<Record<string, (step: Step) => Messages>> = {
  volumeattachments: ofAttachment,
  persistentvolumes: ofVolume,
};

const isOfVolumes = (message: Outgoing<VolumeAttacherMessage>): message is Outgoing<VolumesMessage> =>
  message.body.kind === 'volumes';

const joined = (messages: readonly Outgoing<VolumesMessage>[]): Messages => {
  const names = [...new Set(messages.flatMap(({ body }) => body.names))];
  return chunksOf(names, BATCH).map((some) => ({ body: { v: 1, kind: 'volumes', names: some } }));
};

/** Messages for VolumeAttachments of EBS that come or go, and for volumes that are being deleted. A resync of nodes sends none: the sweep looks at all. */
export const routing: Routing<VolumeAttacherMessage> = {
  route: (step) => ROUTES[step.key.resource]?.(step) ?? [],
  resync: async () => [],
  merge: (messages) => [
    ...messages.filter((message) => !isOfVolumes(message)),
    ...joined(messages.filter(isOfVolumes)),
  ],
};
