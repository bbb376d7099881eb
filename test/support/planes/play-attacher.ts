/** Plays the external-attacher of a CSI driver: its finalizer, `attached`, and the end of both. */

import type { VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import { liveRow } from '../../../shared/ports/store/rows.ts';
import { isReadyToGo } from '../../../shared/rules/pods/deletion.ts';
import type { ObjectWrite } from '../../../shared/store/writer/object-writer.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';

const FINALIZER = 'external-attacher/d-example-com';

const step = (attachment: VolumeAttachment): ObjectWrite | undefined => {
  const { deletionTimestamp, finalizers = [] } = attachment.metadata;
  const writer = 'client';
  if (deletionTimestamp !== undefined) {
    const { finalizers: _own, ...metadata } = attachment.metadata;
    const freed: VolumeAttachment = { ...attachment, metadata, status: { attached: false } };
    return isReadyToGo(freed) ? { next: 'delete', lastState: freed, writer } : { next: freed, writer };
  }
  if (finalizers.length > 0) return undefined;
  const metadata = { ...attachment.metadata, finalizers: [FINALIZER] };
  const attached: VolumeAttachment = { ...attachment, metadata, status: { attached: true } };
  return { next: attached, writer };
};

type Plane = Pick<ControlPlane, 'clock' | 'state' | 'writer'>;

/** The VolumeAttachments that are stored. */
export const attachmentsIn = async ({ state }: Pick<Plane, 'state'>): Promise<readonly VolumeAttachment[]> =>
  (await state.objects.page({ resource: 'volumeattachments', namespace: '' })).rows.map(
    ({ object }) => object,
  );

/** Acts on every VolumeAttachment some 200 ms after its change, from now on. */
export const playAttacher = (plane: Plane): void => {
  const loop = async (): Promise<void> => {
    for (;;) {
      for (const { metadata } of await attachmentsIn(plane)) {
        const key = { resource: 'volumeattachments', namespace: '', name: metadata.name };
        await plane.writer.write(key, (row) => {
          const found = liveRow(row);
          return found && step(found.object);
        });
      }
      await plane.clock.sleep(200);
    }
  };
  void loop();
};
