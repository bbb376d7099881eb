/** Lets volumes go that are being deleted and have no VolumeAttachment any more. */
import type { VolumeAttachment } from '../../../shared/kube/types/storage.ts';
import { type LiveRow, liveRow, volumeKey } from '../../../shared/ports/store/rows.ts';
import { ATTACHER_FINALIZER, isHeld } from '../../../shared/rules/attachments/attacher.ts';
import { freed } from '../../../shared/rules/owners/collect.ts';
import { withoutFinalizer } from '../../../shared/rules/owners/garbage.ts';
import { rowsIn } from '../../../shared/store/lists/row-pages.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { AttacherDeps } from '../deps.ts';

const CONCURRENCY = 16;

export const isGoing = (row: LiveRow | undefined): row is LiveRow =>
  row?.object.metadata.deletionTimestamp !== undefined && isHeld(row.object);

/** Names of volumes that have VolumeAttachments. No new one is held for a volume that is being deleted. */
const readUsed = async ({ objects }: AttacherDeps): Promise<ReadonlySet<string>> => {
  const used = new Set<string>();
  for await (const { object } of rowsIn(objects, 'volumeattachments', '')) {
    const { spec }: VolumeAttachment = object;
    if (spec?.source?.persistentVolumeName) used.add(spec.source.persistentVolumeName);
  }
  return used;
};

const release = async ({ writer }: AttacherDeps, seen: LiveRow): Promise<void> => {
  await writer.write(
    seen.key,
    (found) => {
      const row = liveRow(found);
      if (row?.uid !== seen.uid || !isGoing(row)) return undefined;
      return {
        ...freed('persistentvolumes', withoutFinalizer(row.object, ATTACHER_FINALIZER)),
        writer: 'controller',
      };
    },
    seen,
  );
};

/** Looks at the volumes with these names. VolumeAttachments are listed only if one of the volumes is being deleted. */
export const releaseVolumes = async (deps: AttacherDeps, names: readonly string[]): Promise<void> => {
  const rows = await inParallel(names, CONCURRENCY, async (name) =>
    liveRow(await deps.objects.read(volumeKey(name))),
  );
  const going = rows.filter(isGoing);
  if (going.length === 0) return;
  const used = await readUsed(deps);
  await inParallel(
    going.filter(({ key }) => !used.has(key.name)),
    CONCURRENCY,
    (row) => release(deps, row),
  );
};
