/** What an agent before this one left: its pods as they are written down. What runs of them is ended, as nothing reads what it says any more. */
import { UNKNOWN_EXIT_CODE } from '../../rules/containers/exit.ts';
import { killMembers, MARKER } from '../containers/kill-members.ts';
import {
  containersIn,
  type Kept,
  type KeptPod,
  type Parts,
  podFolder,
  podsIn,
  readContainer,
  readPod,
} from './records.ts';
import { putEnd } from './start.ts';

const killLeft = async ({ bootId }: Parts, folder: string, main: Kept['main']): Promise<void> => {
  // Numbers of processes are those of one start of the machine.
  const leader = main?.bootId === bootId ? { ...main, hasJustEnded: false } : undefined;
  await killMembers({ variable: MARKER, value: folder, leader });
};

/** Whether its program was started is not known for sure, and it must not run twice. */
const endUnseen = async (parts: Parts, kept: Kept): Promise<void> => {
  await killLeft(parts, kept.folder, kept.main);
  const finishedAt = Math.max(parts.options.now(), kept.main?.startedAt ?? kept.record.createdAt);
  const exit = { code: UNKNOWN_EXIT_CODE, oomKills: 0, isUnknown: true };
  putEnd(parts, kept, { exit, hasRun: true, finishedAt, message: '' });
};

/** `undefined`: nothing is known of it, so that it is ended and deleted. */
const recoverContainer = async (
  parts: Parts,
  place: Pick<Kept, 'id' | 'folder'>,
  isPodKnown: boolean,
): Promise<Kept | undefined> => {
  const kept = isPodKnown ? await readContainer(place) : undefined;
  if (kept && !kept.end) await endUnseen(parts, kept);
  if (kept) return kept;
  await killLeft(parts, place.folder, undefined);
  await parts.options.trash.discard(place.folder);
  return undefined;
};

const recoverPod = async (parts: Parts, uid: string): Promise<void> => {
  const { root, trash } = parts.options;
  const folder = podFolder(root, uid);
  const record = await readPod(folder);
  const { places, halfMade } = containersIn(root, uid);
  for (const one of halfMade) await trash.discard(one);
  const pod: Omit<KeptPod, 'record'> = { folder, containers: new Map() };
  for (const place of places) {
    const kept = await recoverContainer(parts, place, record !== undefined);
    if (kept) pod.containers.set(kept.id, kept);
  }
  if (record) parts.pods.set(uid, { ...pod, record });
  else await trash.discard(folder);
};

/** Takes up all pods. */
export const recover = async (parts: Parts): Promise<void> => {
  const { uids, halfMade } = podsIn(parts.options.root);
  for (const one of halfMade) await parts.options.trash.discard(one);
  for (const uid of uids) await recoverPod(parts, uid);
};
