/** Beats of many nodes, on a thread of their own: what the abuse costs its sender must not count as lateness of the host. */
import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';

export interface BeatPlan {
  readonly url: string;
  readonly ca: string;
  readonly tokens: readonly (readonly [node: string, token: string])[];
  readonly everyMs: number;
}

export interface Beaten {
  /** Milliseconds until each answer. */
  readonly latencies: readonly number[];
  /** What was answered instead of 200. */
  readonly failures: readonly string[];
}

const { url, ca, tokens, everyMs } = workerData as BeatPlan;
const agent = new Agent({ ca, keepAlive: true });
let latencies: number[] = [];
let failures: string[] = [];

/** Beats of a node that may be under way: the host lets eight of one node in. */
const MOST = 4;
const underWay = new Map<string, number>();
const count = (node: string, by: number): void => void underWay.set(node, (underWay.get(node) ?? 0) + by);

const beat = (node: string, token: string): void => {
  if ((underWay.get(node) ?? 0) >= MOST) return;
  count(node, 1);
  const sentAt = performance.now();
  const target = new URL(`/apis/rollcall.dev/v1/nodes/${node}/heartbeat`, url);
  const sent = request(target, { agent, method: 'POST', headers: { authorization: `Bearer ${token}` } });
  sent.on('response', (response) => {
    response.resume().on('end', () => latencies.push(performance.now() - sentAt));
    if (response.statusCode !== 200) failures.push(`${node}: ${response.statusCode}`);
  });
  sent.on('error', (error) => failures.push(`${node}: ${error.message}`));
  sent.on('close', () => count(node, -1));
  sent.end();
};

for (const [index, [node, token]] of tokens.entries())
  setTimeout(() => setInterval(() => beat(node, token), everyMs), (index * everyMs) / tokens.length);

parentPort?.on('message', () => {
  parentPort?.postMessage({ latencies, failures } satisfies Beaten);
  [latencies, failures] = [[], []];
});
