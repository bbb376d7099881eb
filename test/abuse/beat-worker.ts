/** Beats of many nodes, on a thread of their own: what the abuse costs its sender must not count as lateness of the host. */
import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { waitedByProcess, waitedByThisThread } from './scheduling.ts';

export interface BeatPlan {
  readonly url: string;
  readonly ca: string;
  readonly tokens: readonly (readonly [node: string, token: string])[];
  readonly everyMs: number;
  /** Process of the host. */
  readonly pid: number;
}

export interface Answer {
  /** Milliseconds from sending to the end of the answer. */
  readonly latencyMs: number;
  /** Milliseconds of it for which the host, or this thread, was ready to run and the machine ran something else. */
  readonly machineMs: number;
}

export interface Beaten {
  readonly answers: readonly Answer[];
  /** What was answered instead of 200. */
  readonly failures: readonly string[];
}

const { url, ca, tokens, everyMs, pid } = workerData as BeatPlan;
const agent = new Agent({ ca, keepAlive: true });
const waitedByHost = waitedByProcess(pid);
const waitedMs = (): number => waitedByHost() + waitedByThisThread();
let answers: Answer[] = [];
let failures: string[] = [];

/** Beats of a node that may be under way: the host lets eight of one node in. */
const MOST = 4;
const underWay = new Map<string, number>();
const count = (node: string, by: number): void => void underWay.set(node, (underWay.get(node) ?? 0) + by);

const beat = (node: string, token: string): void => {
  if ((underWay.get(node) ?? 0) >= MOST) return;
  count(node, 1);
  const [sentAt, waited] = [performance.now(), waitedMs()];
  const target = new URL(`/apis/rollcall.dev/v1/nodes/${node}/heartbeat`, url);
  const sent = request(target, { agent, method: 'POST', headers: { authorization: `Bearer ${token}` } });
  sent.on('response', (response) => {
    response
      .resume()
      .on('end', () =>
        answers.push({ latencyMs: performance.now() - sentAt, machineMs: waitedMs() - waited }),
      );
    if (response.statusCode !== 200) failures.push(`${node}: ${response.statusCode}`);
  });
  sent.on('error', (error) => failures.push(`${node}: ${error.message}`));
  sent.on('close', () => count(node, -1));
  sent.end();
};

for (const [index, [node, token]] of tokens.entries())
  setTimeout(() => setInterval(() => beat(node, token), everyMs), (index * everyMs) / tokens.length);

parentPort?.on('message', () => {
  parentPort?.postMessage({ answers, failures } satisfies Beaten);
  [answers, failures] = [[], []];
});
