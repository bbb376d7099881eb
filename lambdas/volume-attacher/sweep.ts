/** Finds what a lost message left. */
import { phaseOf } from '../../shared/rules/attachments/attacher.ts';
import { rowsIn } from '../../shared/store/lists/row-pages.ts';
import type { AttacherDeps } from './deps.ts';
import { isGoing } from './disks/release-volumes.ts';
import { allTries, forgetTries, isPlanned } from './disks/tries.ts';
import type { VolumeAttacherMessage } from './message.ts';
import { VOLUME_ATTACHER_QUEUE } from './queue.ts';

/** Names of the VolumeAttachments that are to be attached or detached. */
const readOpenNames = async ({ objects }: AttacherDeps): Promise<ReadonlySet<string>> => {
  const names = new Set<string>();
  for await (const { key, object } of rowsIn(objects, 'volumeattachments', ''))
    if (phaseOf(object)) names.add(key.name);
  return names;
};

const readGoing = async ({ objects }: AttacherDeps): Promise<readonly string[]> => {
  const names: string[] = [];
  for await (const row of rowsIn(objects, 'persistentvolumes', ''))
    if (isGoing(row)) names.push(row.key.name);
  return names;
};

/** Queues each VolumeAttachment that nobody is going to look at, and volumes that are being deleted. Forgets what is stored of others. */
export const sweep = async (deps: AttacherDeps): Promise<undefined> => {
  const { clock, disks, queues } = deps;
  if (!disks) return;
  const tries = await allTries(deps);
  const open = await readOpenNames(deps);
  for (const [name, stored] of tries) if (!open.has(name)) await forgetTries(deps, { stored });
  const due = [...open].filter((name) => !isPlanned(tries.get(name), clock.now()));
  const going = await readGoing(deps);
  const bodies: readonly VolumeAttacherMessage[] = [
    ...due.map((name): VolumeAttacherMessage => ({ v: 1, kind: 'attachment', name })),
    ...going.map((name): VolumeAttacherMessage => ({ v: 1, kind: 'volumes', names: [name] })),
  ];
  await queues.send(
    VOLUME_ATTACHER_QUEUE.name,
    bodies.map((body) => ({ body })),
  );
};
