import type { DiskCloud } from '../../shared/ports/outside/disk-cloud.ts';
import { delayPast } from '../../shared/rules/wake-up.ts';
import { inTurn, nextAfterTurn } from '../../shared/store/turns/owner-turns.ts';
import type { AttacherDeps, AttacherReport } from './deps.ts';
import { releaseVolumes } from './disks/release-volumes.ts';
import { lookAt, readOpen } from './look.ts';
import type { VolumeAttacherMessage } from './message.ts';
import { VOLUME_ATTACHER_QUEUE } from './queue.ts';

/** Looks in the turn of the VolumeAttachment: no two runs ever ask the cloud for opposite things. */
const lookInTurn = async (
  deps: AttacherDeps,
  disks: DiskCloud,
  name: string,
  report: AttacherReport,
): Promise<void> => {
  const turn = await inTurn(
    deps,
    `attachment/${name}`,
    async (own): Promise<undefined> => {
      await lookAt(deps, disks, name, own, report);
    },
    { isChecked: false },
  );
  const now = deps.clock.now();
  const next = nextAfterTurn(turn, now);
  if (next === undefined) return;
  const body = { v: 1, kind: 'attachment', name };
  await deps.queues.send(VOLUME_ATTACHER_QUEUE.name, [{ body, delaySeconds: delayPast(next, now) }]);
};

/** Handles a queued message. Without a cloud, somebody else attaches. Throws if an object could not be read or written; the message is then delivered again. */
export const reconcile = async (
  deps: AttacherDeps,
  message: VolumeAttacherMessage,
): Promise<AttacherReport> => {
  const report: AttacherReport = { attached: 0, detached: 0, failures: [] };
  const { disks } = deps;
  if (!disks) return report;
  if (message.kind === 'volumes') await releaseVolumes(deps, message.names);
  else if (await readOpen(deps, message.name)) await lookInTurn(deps, disks, message.name, report);
  return report;
};
