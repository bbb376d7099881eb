/** Asks an agent for its health, again and again, on a thread of its own: what a test does meanwhile must not count as lateness of the agent. */
import { request } from 'node:https';
import { setTimeout as wait } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { waitedByProcess, waitedByThisThread } from '../support/clocks/scheduling.ts';

/** What the thread is given. */
export interface HealthTask {
  readonly port: number;
  /** Of the agent. */
  readonly pid: number;
}

/** What it has found when it was told to end. */
export interface HealthFound {
  readonly asked: number;
  /** The longest time until an answer, without what the machine gave to others, ms. */
  readonly longestMs: number;
  /** Answers that were not `ok`, and errors of connections. */
  readonly failures: readonly string[];
}

const EVERY_MS = 100;
const GIVE_UP_MS = 30_000;
const task = workerData as HealthTask;
const waits = [waitedByProcess(task.pid), waitedByThisThread];

const ask = (): Promise<string> =>
  new Promise((resolve) => {
    // Its certificate is its own.
    const options = { host: '127.0.0.1', port: task.port, path: '/healthz', rejectUnauthorized: false };
    const asked = request({ ...options, signal: AbortSignal.timeout(GIVE_UP_MS) }, (answer) => {
      answer.resume().on('end', () => resolve(answer.statusCode === 200 ? '' : `${answer.statusCode}`));
    });
    asked.on('error', (error) => resolve(String(error))).end();
  });

const sum = (): number => waits.reduce((ms, waited) => ms + waited(), 0);

const watch = async (port: NonNullable<typeof parentPort>): Promise<void> => {
  let isOver = false;
  port.once('message', () => {
    isOver = true;
  });
  const failures: string[] = [];
  let [asked, longestMs] = [0, 0];
  for (; !isOver; asked += 1) {
    const [began, excused] = [performance.now(), sum()];
    const failure = await ask();
    longestMs = Math.max(longestMs, performance.now() - began - (sum() - excused));
    if (failure !== '') failures.push(failure);
    await wait(EVERY_MS);
  }
  port.postMessage({ asked, longestMs, failures } satisfies HealthFound);
};

if (parentPort) await watch(parentPort);
