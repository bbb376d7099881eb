/**
 * The next look at a VolumeAttachment: its instant and the number of looks in vain are stored, so that neither a restart nor a doubled message
 * shortens a back-off.
 */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Sighting } from '../../../shared/ports/store/control-store.ts';
import { LONGEST_BACK_OFF_MS, nextTryMs } from '../../../shared/rules/attachments/disk-tries.ts';
import { delayPast } from '../../../shared/rules/wake-up.ts';
import { CLOCK_SKEW_MS } from '../../../shared/rules/zones/future-instants.ts';
import type { AttacherDeps } from '../deps.ts';
import { VOLUME_ATTACHER_QUEUE } from '../queue.ts';

const TOPIC = 'disk-try';
/** Milliseconds after which a look that was planned is taken for lost. */
const LOST_MS = 30_000;

/** A VolumeAttachment, and what is to be done about it. */
export interface Tried {
  readonly name: string;
  readonly uid: string;
  readonly phase: 'attach' | 'detach';
}

/** What is stored. `tries`: looks in vain; `isEarly`: the next look is still to come. */
export interface Tries {
  readonly stored: Sighting | undefined;
  readonly tries: number;
  readonly isEarly: boolean;
}

/** Uids have no blank. */
const identityOf = ({ uid, phase }: Tried): string => `${uid} ${phase}`;

/** An instant that was stored by a clock that is ahead counts as now. */
const isToCome = ({ since }: Sighting, now: EpochMs): boolean =>
  since > now + CLOCK_SKEW_MS && since <= now + LONGEST_BACK_OFF_MS + CLOCK_SKEW_MS;

/** Reads what is stored of a VolumeAttachment. What is stored of another phase, or of an earlier one of the name, is over. */
export const readTries = async ({ clock, control }: AttacherDeps, tried: Tried): Promise<Tries> => {
  const stored = await control.sighting({ topic: TOPIC, name: tried.name });
  const [uid = '', phase = '', tries = ''] = stored?.uid.split(' ') ?? [];
  if (!stored || `${uid} ${phase}` !== identityOf(tried)) return { stored, tries: 0, isEarly: false };
  return { stored, tries: Number(tries), isEarly: isToCome(stored, clock.now()) };
};

/** Plans the next look. */
export const planTry = async (
  { clock, control, queues }: AttacherDeps,
  tried: Tried,
  { stored, tries }: Tries,
  isFailure: boolean,
): Promise<void> => {
  const { name } = tried;
  const now = clock.now();
  const since = now + nextTryMs(tries, isFailure);
  const body = { v: 1, kind: 'attachment', name };
  // Before the instant is stored, so that no crash can leave a look that nobody takes.
  await queues.send(VOLUME_ATTACHER_QUEUE.name, [{ body, delaySeconds: delayPast(since, now) }]);
  const uid = `${identityOf(tried)} ${tries + 1}`;
  await control.replaceSighting({ topic: TOPIC, name }, stored, { topic: TOPIC, name, uid, since });
};

/** The disk is where it should be. */
export const forgetTries = async (
  { control }: AttacherDeps,
  { stored }: Pick<Tries, 'stored'>,
): Promise<void> => {
  if (stored) await control.replaceSighting(stored, stored, undefined);
};

/** All that is stored, by the names of the VolumeAttachments. */
export const allTries = async ({ control }: AttacherDeps): Promise<ReadonlyMap<string, Sighting>> =>
  new Map((await control.sightings(TOPIC)).map((stored) => [stored.name, stored]));

/** Whether the next look is still to come, or just due. */
export const isPlanned = (stored: Sighting | undefined, now: EpochMs): boolean =>
  stored !== undefined && (isToCome(stored, now) || (stored.since <= now && now - stored.since < LOST_MS));
