/** Makes VolumeAttachments for the volumes that pods want at their node. */
import type { Pod } from '../../shared/kube/types/core.ts';
import { toTime } from '../../shared/kube/values/time.ts';
import type { TurnCheck } from '../../shared/ports/store/owner-turns.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { multiAttach } from '../../shared/rules/attachments/attach-events.ts';
import {
  type AttachableVolume,
  newAttachment,
  uniqueNameOf,
} from '../../shared/rules/attachments/attachable.ts';
import { waitForVolume } from '../../shared/rules/attachments/wait-names.ts';
import type { WantedVolume } from '../../shared/rules/attachments/wanted-volumes.ts';
import { inTurn } from '../../shared/store/turns/owner-turns.ts';
import { type AttachDetachDeps, type AttachDetachReport, attachmentKey, attachmentName } from './deps.ts';
import { follow, type KnownAttachments } from './known-attachments.ts';
import { type Look, readLook, settleNode, tell } from './leave-node.ts';
import { isTold, storeWaits, waitForClaim } from './waits.ts';
import { readWanted } from './wanted.ts';

/** `taken`: the volume is at another node. `again`: somebody else is at it, or a log has a hole; look again. */
type Joined = 'made' | 'there' | 'taken' | 'again';

const make = async (
  { writer, ids }: AttachDetachDeps,
  volume: AttachableVolume,
  nodeName: string,
  turn?: TurnCheck,
): Promise<Joined> => {
  const name = attachmentName(volume, nodeName);
  const uid = ids.uuid();
  const { outcome } = await writer.write(attachmentKey(name), (row, now) => {
    if (liveRow(row)) return undefined;
    const next = newAttachment(name, volume, nodeName, { uid, creationTimestamp: toTime(now) });
    return { next, writer: 'controller', ...(turn ? { turn } : {}) };
  });
  if (outcome === 'checkFailed') return 'again';
  return outcome === 'written' ? 'made' : 'there';
};

/** Names of other nodes that have the volume, or lose it only now. */
const holdersOf = (known: KnownAttachments, volume: AttachableVolume, nodeName: string) =>
  known.ofVolume(volume).filter(({ spec }) => spec?.nodeName !== nodeName);

/**
 * Makes the VolumeAttachment of an exclusive volume in the turn of the volume: whoever had the turn before can make none any more once this
 * one is raised, and all that it has made is in the log. So there are never two.
 */
const makeExclusive = async (
  deps: AttachDetachDeps,
  volume: AttachableVolume,
  nodeName: string,
): Promise<Joined> => {
  const turn = await inTurn(deps, `volume/${uniqueNameOf(volume)}`, async (own): Promise<Joined> => {
    const check = await own.fence();
    const known = await follow(deps);
    if (known.isWaiting()) return 'again';
    return holdersOf(known, volume, nodeName).length > 0 ? 'taken' : make(deps, volume, nodeName, check);
  });
  return turn.outcome === 'done' ? (turn.results.at(-1) ?? 'again') : 'again';
};

/**
 * Lets go of the volume those nodes where no pod wants it any more. Resolves to the pods that want it at the other nodes; `undefined`: no node
 * keeps it.
 */
const usersElsewhere = async (
  deps: AttachDetachDeps,
  volume: AttachableVolume,
  nodeName: string,
  report: AttachDetachReport,
): Promise<readonly Pod[] | undefined> => {
  const known = await follow(deps);
  const users: Pod[] = [];
  for (const name of new Set(
    holdersOf(known, volume, nodeName).flatMap(({ spec }) => spec?.nodeName ?? []),
  )) {
    const other = await readLook(deps, name);
    if (other) await settleNode(deps, other, report);
    const { volumes } = other?.wanted ?? (await readWanted(deps, known, name));
    users.push(...(volumes.get(uniqueNameOf(volume))?.pods ?? []));
  }
  const holders = holdersOf(await follow(deps), volume, nodeName);
  return holders.some(({ metadata }) => metadata.deletionTimestamp === undefined) ? users : undefined;
};

/** Tells the pods, once for each volume and node, that their volume is at another node. Resolves to whether they know. */
const tellOfOther = async (
  deps: AttachDetachDeps,
  { seen, stored }: Look,
  { volume, pods }: WantedVolume,
  report: AttachDetachReport,
): Promise<boolean> => {
  const wait = stored.waits.get(waitForVolume(volume.name));
  if (isTold(wait)) return true;
  const users = await usersElsewhere(deps, volume, seen.name, report);
  if (!users) return false;
  const occasion = `${seen.name} ${volume.name} ${wait?.since ?? deps.clock.now()}`;
  await tell(deps, pods, (pod) => multiAttach(volume.name, pod, users), occasion);
  report.multiAttach += pods.length;
  return true;
};

/** What became of the volumes that pods want. */
interface Outcome {
  readonly waits: Map<string, { readonly isTold: boolean }>;
  isAgain: boolean;
}

const joinVolume = async (
  deps: AttachDetachDeps,
  look: Look,
  wanted: WantedVolume,
  report: AttachDetachReport,
  outcome: Outcome,
): Promise<void> => {
  const { seen, known } = look;
  const { volume } = wanted;
  // One that is being deleted comes back when it is gone: its own change brings the next look.
  if (known.attachment(attachmentName(volume, seen.name))) return;
  const isTaken = volume.isExclusive && holdersOf(known, volume, seen.name).length > 0;
  const attempt = volume.isExclusive ? makeExclusive : make;
  const joined = isTaken ? 'taken' : await attempt(deps, volume, seen.name);
  if (joined === 'made') report.attached += 1;
  if (joined === 'again') outcome.isAgain = true;
  if (joined === 'taken')
    outcome.waits.set(waitForVolume(volume.name), {
      isTold: await tellOfOther(deps, look, wanted, report),
    });
};

/** Makes what is missing, and stores what the node waits for. Resolves to whether to look again soon. */
export const joinNode = async (
  deps: AttachDetachDeps,
  look: Look,
  report: AttachDetachReport,
): Promise<boolean> => {
  const { seen, wanted, stored } = look;
  const waits = [...wanted.unbound].map((path) => [waitForClaim(path), { isTold: false }] as const);
  const outcome: Outcome = { waits: new Map(waits), isAgain: false };
  if (seen.node)
    for (const one of wanted.volumes.values()) await joinVolume(deps, look, one, report, outcome);
  const isNew = await storeWaits(deps, seen.name, stored, outcome.waits);
  return isNew || outcome.isAgain;
};
