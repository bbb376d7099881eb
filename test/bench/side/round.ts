/** One round: a control plane in an empty folder does all tasks, and is stopped. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { ask } from '../host/cost/bare-rate.ts';
import { inTemporaryFolder } from '../package/bundle.ts';
import type { ClientOrder, ClientReport, ClientSetting } from './client.ts';
import { type ControlPlane, createServers, type StartControlPlane } from './control-plane.ts';
import type { Counts } from './counts.ts';
import { residentMbOf, type ServerUse, useOf } from './server-use.ts';
import { TASKS, type TaskName } from './tasks.ts';

/** What a task took. */
export interface TaskUse {
  /** Objects a second. */
  readonly rate: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  /** Processor time of all servers for one object, with what follows from it. */
  readonly cpuMs: number;
  /** Kilobytes (1,024 bytes) that the servers wrote for one object. */
  readonly writtenKb: number;
  /** Share of a core that the client took. */
  readonly client: number;
}

export interface Round {
  readonly tasks: Readonly<Record<TaskName, TaskUse>>;
  /** Memory of all servers at the end. */
  readonly residentMb: number;
  /** Share of a core that all servers take when nobody asks anything, before the first task. */
  readonly idle: number;
}

/** A round on its way. */
interface Course extends ControlPlane {
  readonly client: ChildProcess;
  readonly counts: Counts;
  tell(text: string): void;
}

const TICK_MS = 500;
/** Share of a core below which servers have done what follows from a task. */
const QUIET = 0.25;
const QUIET_TICKS = 2;
/** Ten seconds: what Kubernetes' controllers do at 20 requests a second goes on for minutes. */
const MOST_TICKS = 20;
const IDLE_MS = 4_000;
const KB = 1_024;

/** Waits until the servers have done what follows from a task, or for ten seconds. Resolves with their use when the first quiet tick began. */
const settled = async (pids: readonly number[]): Promise<ServerUse> => {
  let [busy, last] = [useOf(pids), useOf(pids)];
  for (let [quiet, ticks] = [0, 0]; quiet < QUIET_TICKS && ticks < MOST_TICKS; ticks += 1) {
    await wait(TICK_MS);
    const now = useOf(pids);
    quiet = now.cpuMs - last.cpuMs < QUIET * TICK_MS ? quiet + 1 : 0;
    if (quiet === 0) busy = now;
    last = now;
  }
  return busy;
};

const runTask = async ({ client, pids, counts, tell }: Course, task: TaskName): Promise<TaskUse> => {
  const order = (step: ClientOrder['step']): Promise<ClientReport> => ask(client, { task, step });
  await order('prepare');
  await settled(pids);
  const before = useOf(pids);
  const { ms, cpuMs, p50Ms, p99Ms } = await order('run');
  const after = await settled(pids);
  const objects = counts[task];
  const use = {
    rate: (objects * 1_000) / ms,
    p50Ms,
    p99Ms,
    cpuMs: (after.cpuMs - before.cpuMs) / objects,
    writtenKb: (after.writtenBytes - before.writtenBytes) / objects / KB,
    client: cpuMs / ms,
  };
  tell(
    `${task} ${use.rate.toFixed(1)}/s, ${use.cpuMs.toFixed(2)} ms each, client ${use.client.toFixed(2)} of a core`,
  );
  return use;
};

const idleOf = async (pids: readonly number[]): Promise<number> => {
  await settled(pids);
  const before = useOf(pids).cpuMs;
  await wait(IDLE_MS);
  return (useOf(pids).cpuMs - before) / IDLE_MS;
};

const runTasks = async (course: Course): Promise<Round> => {
  const idle = await idleOf(course.pids);
  const tasks = new Map<string, TaskUse>();
  for (const task of Object.keys(TASKS) as TaskName[]) tasks.set(task, await runTask(course, task));
  const residentMb = residentMbOf(course.pids);
  return { tasks: Object.fromEntries(tasks) as Round['tasks'], residentMb, idle };
};

const clientOf = async (setting: ClientSetting): Promise<ChildProcess> => {
  const client = fork(join(import.meta.dirname, 'client.ts'), [JSON.stringify(setting)]);
  await Promise.race([
    once(client, 'message'),
    once(client, 'exit').then(() => Promise.reject(new Error('the client has ended'))),
  ]);
  return client;
};

/** `tell` gets a line about each task when it is done. */
export const runRound = (
  start: StartControlPlane,
  counts: Counts,
  tell: (text: string) => void,
): Promise<Round> =>
  inTemporaryFolder(async (folder) => {
    const servers = createServers(folder);
    try {
      const plane = await start(servers);
      const client = await clientOf({ target: plane.target, counts });
      try {
        return await runTasks({ ...plane, client, counts, tell });
      } finally {
        client.kill();
      }
    } finally {
      await servers.stop();
    }
  });
