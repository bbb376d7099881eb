/** A process that uses one control plane as 32 clients do. Called with a `ClientSetting`; does what `ClientOrder`s say. */
import { quantile } from '../figures/statistics.ts';
import { openConnection } from '../fleet/connection.ts';
import type { Target } from './control-plane.ts';
import type { Counts } from './counts.ts';
import { TASKS, type Task, type TaskName, type World } from './tasks.ts';

/** The only argument of the process, as JSON. */
export interface ClientSetting {
  readonly target: Target;
  readonly counts: Counts;
}

/** What the bench sends; the client answers when it has done it, with a `ClientReport` after a run. */
export interface ClientOrder {
  readonly task: TaskName;
  readonly step: 'prepare' | 'run';
}

export interface ClientReport {
  readonly ms: number;
  /** Processor time of the client itself, ms. */
  readonly cpuMs: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
}

const CLIENTS = 32;

const [, , argument = ''] = process.argv;
const { target, counts } = JSON.parse(argument) as ClientSetting;
const opening = Array.from({ length: CLIENTS }, () => openConnection(target.port, target.ca));
const world: World = { target, counts, connections: await Promise.all(opening) };

const measured = async ({ run }: Task): Promise<ClientReport> => {
  const [startedAt, before] = [performance.now(), process.cpuUsage()];
  const latencies = await run(world);
  const ms = performance.now() - startedAt;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000;
  return { ms, cpuMs, p50Ms: quantile(latencies, 0.5), p99Ms: quantile(latencies, 0.99) };
};

process.on('message', ({ task, step }: ClientOrder) => {
  const work = step === 'run' ? measured(TASKS[task]) : TASKS[task].prepare(world).then(() => 'prepared');
  void work.then((answer) => process.send?.(answer));
});
process.send?.('ready');
