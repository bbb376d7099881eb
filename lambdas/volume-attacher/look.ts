/** Looks at one VolumeAttachment: makes the next step, and writes what has come of it. */
import type { VolumeAttachment } from '../../shared/kube/types/storage.ts';
import { type DiskCloud, DiskCloudError } from '../../shared/ports/outside/disk-cloud.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../shared/ports/store/rows.ts';
import { phaseOf, withAttached, withDetached, withError } from '../../shared/rules/attachments/attacher.ts';
import { isStuck } from '../../shared/rules/attachments/disk-tries.ts';
import { freed } from '../../shared/rules/owners/collect.ts';
import type { OwnerTurn } from '../../shared/store/turns/owner-turns.ts';
import type { AttacherDeps, AttacherReport } from './deps.ts';
import { attach } from './disks/attach.ts';
import { detach } from './disks/detach.ts';
import { fail, type Outcome } from './disks/outcome.ts';
import { readTarget, type Target, Unclear } from './disks/target.ts';
import { forgetTries, planTry, readTries, type Tried, type Tries } from './disks/tries.ts';

export const attachmentKey = (name: string): ObjectKey => ({
  resource: 'volumeattachments',
  namespace: '',
  name,
});

/** A VolumeAttachment that is to be attached or detached. */
interface Open {
  readonly row: LiveRow;
  readonly tried: Tried;
}

/** `undefined`: there is nothing to do about the VolumeAttachment. */
export const readOpen = async ({ objects }: AttacherDeps, name: string): Promise<Open | undefined> => {
  const row = liveRow(await objects.read(attachmentKey(name)));
  const phase = row && phaseOf(row.object);
  return row && phase ? { row, tried: { name, uid: row.uid, phase } } : undefined;
};

type Write = (attachment: VolumeAttachment, now: number) => VolumeAttachment;

/** Writes the VolumeAttachment if it is the same one, and is still to be attached, or detached. Resolves to whether that is so. */
const write = async (
  { writer }: AttacherDeps,
  { row: seen, tried }: Open,
  change: Write,
): Promise<boolean> => {
  let isSame = false;
  await writer.write(seen.key, (found, now) => {
    const row = liveRow(found);
    isSame = row?.uid === seen.uid && phaseOf(row.object) === tried.phase;
    if (!row || !isSame) return undefined;
    const next = change(row.object, now);
    if (next === row.object) return undefined;
    // Only one that is being deleted goes when nothing holds it.
    const written = tried.phase === 'detach' ? freed(seen.key.resource, next) : { next };
    return { ...written, writer: 'controller' };
  });
  return isSame;
};

interface Attempt {
  readonly outcome: Outcome;
  readonly target?: Target;
}

const attempt = async (
  deps: AttacherDeps,
  disks: DiskCloud,
  { row, tried }: Open,
  turn: OwnerTurn,
  tries: number,
): Promise<Attempt> => {
  let target: Target | undefined;
  try {
    target = await readTarget(deps, disks, row);
    const outcome =
      tried.phase === 'attach'
        ? await attach(deps, disks, target, turn, tries)
        : await detach(disks, target, turn, tries);
    return { outcome, target };
  } catch (error) {
    if (error instanceof Unclear) return { outcome: fail(error.message) };
    if (error instanceof DiskCloudError)
      return { outcome: fail(error.message), ...(target ? { target } : {}) };
    throw error;
  }
};

const textOf = (why: string, phase: Tried['phase'], target: Target | undefined): string => {
  if (!target) return why;
  const { disk, machine } = target.place;
  const way = phase === 'attach' ? 'to' : 'from';
  return `Could not ${phase} volume "${disk}" ${way} node "${machine}": ${why}`;
};

const settle = async (
  deps: AttacherDeps,
  open: Open,
  tries: Tries,
  outcome: Exclude<Outcome, { readonly why: string }>,
  report: AttacherReport,
): Promise<void> => {
  const isDone = await write(deps, open, (attachment) =>
    outcome.result === 'attached' ? withAttached(attachment, outcome.device) : withDetached(attachment),
  );
  if (isDone) report[outcome.result] += 1;
  await forgetTries(deps, tries);
};

const lookAgain = async (
  deps: AttacherDeps,
  open: Open,
  tries: Tries,
  { outcome, target }: Attempt & { readonly outcome: { readonly why: string } },
  report: AttacherReport,
): Promise<void> => {
  const { phase } = open.tried;
  const isFailure = outcome.result === 'fail';
  if (isFailure || isStuck(tries.tries)) {
    const text = textOf(outcome.why, phase, target);
    report.failures.push(text);
    await write(deps, open, (attachment, now) => withError(attachment, `${phase}Error`, text, now));
  }
  await planTry(deps, open.tried, tries, isFailure);
};

/** Makes the next step, unless it is too early for it. In the turn of the VolumeAttachment. */
export const lookAt = async (
  deps: AttacherDeps,
  disks: DiskCloud,
  name: string,
  turn: OwnerTurn,
  report: AttacherReport,
): Promise<void> => {
  const open = await readOpen(deps, name);
  if (!open) return;
  const tries = await readTries(deps, open.tried);
  if (tries.isEarly) return;
  const { outcome, ...rest } = await attempt(deps, disks, open, turn, tries.tries);
  if ('why' in outcome) await lookAgain(deps, open, tries, { outcome, ...rest }, report);
  else await settle(deps, open, tries, outcome, report);
};
