/** Beats of many nodes, on a thread of their own: what the abuse costs its sender must not count as lateness of the host. */
import { Agent, request } from 'node:https';
import { parentPort, workerData } from 'node:worker_threads';
import { waitedByProcess, waitedByThisThread } from '../support/clocks/scheduling.ts';

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
const waitedByHost = waitedByProcess(pid);
const waitedMs = (): number => waitedByHost() + waitedByThisThread();
let answers: Answer[] = [];
let failures: string[] = [];

/** The connection of each node. With one agent for all, nodes would take turns on the few connections that a calm host needs. */
const agents = new Map(tokens.map(([node]) => [node, new Agent({ ca, keepAlive: true, maxSockets: 1 })]));
/** Nodes whose last beat has no answer yet: a node sends one beat at a time. */
const underWay = new Set<string>();

/**
 * Counts an answer, and those that the node would have got if it had gone on sending: the beats that were due while it waited
 * count as answered with this one. Otherwise one long wait of a node would hide the others that it stands for.
 */
const countAnswer = (latencyMs: number, machineMs: number): void => {
  for (let late = 0; late === 0 || late < latencyMs; late += everyMs) {
    const share = (latencyMs - late) / latencyMs;
    answers.push({ latencyMs: latencyMs - late, machineMs: machineMs * share });
  }
};

const beat = (node: string, token: string): void => {
  if (underWay.has(node)) return;
  underWay.add(node);
  const [sentAt, waited] = [performance.now(), waitedMs()];
  const target = new URL(`/apis/rollcall.dev/v1/nodes/${node}/heartbeat`, url);
  const headers = { authorization: `Bearer ${token}` };
  const sent = request(target, { agent: agents.get(node), method: 'POST', headers });
  sent.on('response', (response) => {
    response.resume().on('end', () => countAnswer(performance.now() - sentAt, waitedMs() - waited));
    if (response.statusCode !== 200) failures.push(`${node}: ${response.statusCode}`);
  });
  sent.on('error', (error) => failures.push(`${node}: ${error.message}`));
  sent.on('close', () => underWay.delete(node));
  sent.end();
};

for (const [index, [node, token]] of tokens.entries())
  setTimeout(() => setInterval(() => beat(node, token), everyMs), (index * everyMs) / tokens.length);

parentPort?.on('message', () => {
  parentPort?.postMessage({ answers, failures } satisfies Beaten);
  [answers, failures] = [[], []];
});
