/** What machines do that shut down. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { liveRow, nodeKey } from '../../shared/ports/store/rows.ts';
import { withShutdownReport } from '../../shared/rules/shutdown/shutdown-report.ts';
import { withNotReady } from '../../shared/rules/shutdown/shutting-down-node.ts';
import type { ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { PlannedAction } from '../plan/plan-actions.ts';

type Of<K> = Extract<PlannedAction, { kind: K }>;

/** Tells that a phase has begun. */
export const tellShutdown = async (
  writer: ObjectWriter,
  { node, phasesMs, phases, totalMs }: Of<'shutDown'>,
): Promise<void> => {
  const remainingMs = phasesMs.reduce((sum, one) => sum + one, 0);
  const report = {
    ...{ id: `shutdown-${node}`, phase: phases - phasesMs.length + 1, phases },
    ...{
      phaseSeconds: (phasesMs[0] ?? 0) / 1000,
      remainingSeconds: remainingMs / 1000,
      totalSeconds: totalMs / 1000,
    },
  };
  await writer.write(nodeKey(node), (row, now) => {
    const stored = liveRow(row);
    return stored && { next: withNotReady(withShutdownReport(stored.object, report), now), writer: 'client' };
  });
};

/** The pods of the machine have ended. */
export const endPods = async (
  writer: ObjectWriter,
  objects: Pick<ObjectStore, 'podsByNode'>,
  { node }: Pick<Of<'shutDown'>, 'node'>,
): Promise<void> => {
  const { value: pods } = await objects.podsByNode(node);
  for (const { key, uid } of pods)
    await writer.write(key, (row) => {
      const stored = liveRow(row);
      const pod = stored?.uid === uid ? (stored.object as Pod) : undefined;
      const status = { ...pod?.status, phase: 'Failed', reason: 'Terminated' };
      return pod && { next: { ...pod, status }, writer: 'client' };
    });
};
