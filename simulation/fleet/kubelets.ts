/** The kubelets of the machines: they run pods that are bound to them, and end pods that are being deleted. */
import type { Pod } from '../../shared/kube/types/core.ts';
import { READY } from '../../shared/kube/types/well-known.ts';
import { type EpochMs, toTime } from '../../shared/kube/values/time.ts';
import type { Clock } from '../../shared/ports/process/clock.ts';
import type { LiveRow, ObjectKey } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import { waitUntil } from '../../shared/store/turns/wait-until.ts';
import type { ObjectWrite, ObjectWriter } from '../../shared/store/writer/object-writer.ts';
import type { Committed } from '../plane/control-plane-types.ts';
import type { Machine } from '../plane/machine.ts';
import { readyCondition } from './fleet.ts';

/** Milliseconds that a kubelet takes to start or to end a pod. */
const WORK_MS = 1_000;

/** What kubelets need. */
export interface KubeletDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly machines: readonly Machine[];
}

/** When the machine is there at the earliest; it is away while it sends nothing. */
export const thereAt = ({ beating: { schedule } }: Machine, now: EpochMs): EpochMs =>
  schedule.gaps.find(({ from, to }) => from <= now && now < to)?.to ?? now;

const isReady = ({ status }: Pod): boolean =>
  status?.conditions?.some(({ type, status: value }) => type === READY && value === 'True') === true;

const running = (pod: Pod, now: EpochMs): Pod => ({
  ...pod,
  status: {
    ...pod.status,
    phase: 'Running',
    conditions: [readyCondition(now)],
    containerStatuses: [{ name: pod.metadata.name, state: { running: { startedAt: toTime(now) } } }],
  },
});

const nextOf = ({ object }: LiveRow, now: EpochMs): ObjectWrite | undefined => {
  const pod = object as Pod;
  if (pod.metadata.deletionTimestamp !== undefined) return { next: 'delete', writer: 'client' };
  return isReady(pod) || pod.status?.phase === 'Failed'
    ? undefined
    : { next: running(pod, now), writer: 'client' };
};

/** Returns what kubelets do about a commit. */
export const createKubelets = ({ clock, writer, machines }: KubeletDeps): ((commit: Committed) => void) => {
  const byName = new Map(machines.map((machine) => [machine.name, machine]));
  const work = async (key: ObjectKey, uid: string, machine: Machine): Promise<void> => {
    await waitUntil(clock, thereAt(machine, clock.now() + WORK_MS));
    await writer.write(key, (row, now) => {
      const stored = liveRow(row);
      return stored?.uid === uid ? nextOf(stored, now) : undefined;
    });
  };
  return ({ at, change: { after } }) => {
    const row = liveRow(after);
    const machine = byName.get(row?.facts.pod?.nodeName ?? '');
    if (row && machine && nextOf(row, at)) void work(row.key, row.uid, machine);
  };
};
