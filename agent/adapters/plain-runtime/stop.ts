/** Ends containers, and removes them with all that they left. */

import { isSafeName } from '../../rules/containers/container-id.ts';
import { waitAtMost } from '../../wait-at-most.ts';
import { killMembers, MARKER } from '../containers/kill-members.ts';
import { removeLog } from '../cri/logs.ts';
import { isAlive, sendSignal, signalNumber } from '../linux/processes.ts';
import { createSystemClock } from '../system-clock.ts';
import type { Kept, Parts, Running } from './records.ts';

const SIGTERM = 15;
/** How long the end of processes that were killed may take (ms). */
const KILLED_MS = 10_000;
/** How long pods may take to end with their agent (s). A service that is stopped has 90 s for it. */
const AGENT_END_S = 10;

const clock = createSystemClock(new AbortController().signal);

const kill = async ({ id, folder }: Kept, { main, ended }: Running): Promise<void> => {
  await killMembers({ variable: MARKER, value: folder, leader: { ...main, hasJustEnded: false } });
  if (!(await waitAtMost(clock, KILLED_MS, ended)))
    throw new Error(`container ${id} does not end: a process of it hangs in the kernel`);
};

/** Sends the stop signal to the first process, and kills all of the container after the time-out. */
export const stopContainer = async (kept: Kept, timeoutSeconds: number): Promise<void> => {
  await kept.started?.catch(() => undefined);
  const { running } = kept;
  if (!running) return;
  const { spec, main, ended } = running;
  if (timeoutSeconds > 0) {
    if (isAlive(main)) sendSignal(main.pid, signalNumber(spec.stopSignal ?? 'SIGTERM') ?? SIGTERM);
    if (await waitAtMost(clock, timeoutSeconds * 1000, ended)) return;
  }
  await kill(kept, running);
};

/** Ends the container if it runs, and deletes its log. */
const endWithLog = async (kept: Kept): Promise<void> => {
  await stopContainer(kept, 0);
  removeLog(kept.record.logFile);
};

export const removeContainer = async (
  { options, pods }: Parts,
  podUid: string,
  id: string,
): Promise<void> => {
  const containers = pods.get(podUid)?.containers;
  const kept = containers?.get(id);
  if (!kept) return;
  await endWithLog(kept);
  await options.trash.discard(kept.folder);
  containers?.delete(id);
};

/** The pod goes with all of its containers at once. */
export const removePod = async ({ options, pods }: Parts, uid: string): Promise<void> => {
  const pod = isSafeName(uid) ? pods.get(uid) : undefined;
  if (!pod) return;
  for (const kept of pod.containers.values()) await endWithLog(kept);
  await options.trash.discard(pod.record.logFolder);
  await options.trash.discard(pod.folder);
  pods.delete(uid);
};

/** Pods do not outlive their agent: nothing would write down what they say, and how they end. */
export const stopAll = async (parts: Parts): Promise<void> => {
  parts.isClosing = true;
  const all = [...parts.pods.values()].flatMap(({ containers }) => [...containers.values()]);
  await Promise.all(all.map((kept) => stopContainer(kept, AGENT_END_S).catch(parts.options.report)));
};
