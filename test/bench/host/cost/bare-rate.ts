/** How many beats a second a bare `node:https` server answers, with the answer of a host: what a machine can do at all. */
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { inHostFolder, startBenchHost } from '../bench-host.ts';
import { storeHostFleet } from '../stored-fleet.ts';
import type { BareAnswer, BareMessage } from './bare-server.ts';
import type { ClientMessage, ClientReport } from './beat-client.ts';

/** Headers that Node adds to each answer by itself. */
const OF_NODE: readonly string[] = ['date', 'connection', 'keep-alive'];

/** Asks a process; rejects if it ends before it answers. */
export const ask = async <Answer>(child: ChildProcess, message: object | string): Promise<Answer> => {
  const over = new AbortController();
  const { signal } = over;
  const ended = once(child, 'exit', { signal }).then(() => Promise.reject(new Error('a process has ended')));
  const answered = once(child, 'message', { signal });
  child.send(message);
  try {
    return (await Promise.race([answered, ended]))[0] as Answer;
  } finally {
    ended.catch(() => undefined);
    answered.catch(() => undefined);
    over.abort();
  }
};

/** An answer as the bare server is to give it. */
export const answerOf = (sample: string): BareAnswer => {
  const end = sample.indexOf('\r\n\r\n');
  const [line = '', ...headers] = sample.slice(0, end).split('\r\n');
  const pairs = headers.map((header) => {
    const colon = header.indexOf(':');
    return [header.slice(0, colon), header.slice(colon + 1).trim()] as const;
  });
  return {
    status: Number(line.split(' ')[1]),
    headers: Object.fromEntries(pairs.filter(([name]) => !OF_NODE.includes(name.toLowerCase()))),
    body: sample.slice(end + 4),
  };
};

const program = (name: string, folder: string): ChildProcess =>
  fork(join(import.meta.dirname, name), [folder]);

/** The process that sends beats. */
export const clientOf = (folder: string): ChildProcess => program('beat-client.ts', folder);

/** Starts a bare server with the certificate of the host in the folder. */
export const startBare = async (folder: string) => {
  const bare = program('bare-server.ts', folder);
  const [{ port }] = (await once(bare, 'message')) as [{ readonly port: number }];
  return { bare, barePort: port };
};

const NODES = 1_024;
const WARM_UP_MS = 2_000;
const MEASURED_MS = 5_000;

const rateIn = async (folder: string): Promise<number> => {
  await storeHostFleet(join(folder, 'state'), { nodes: NODES, pods: 0 });
  const host = await startBenchHost(folder);
  const { bare, barePort: port } = await startBare(folder);
  const client = clientOf(folder);
  const beat = (ms: number, to?: { readonly port: number }): Promise<ClientReport> =>
    ask(client, { kind: 'heartbeat', ms, ...to } satisfies ClientMessage);
  try {
    const { sample } = await beat(WARM_UP_MS);
    await ask(bare, { answer: answerOf(sample) } satisfies BareMessage);
    await beat(WARM_UP_MS, { port });
    return ((await beat(MEASURED_MS, { port })).answers * 1_000) / MEASURED_MS;
  } finally {
    client.kill();
    bare.kill();
    await host.kill();
  }
};

/** Beats a second that a bare server answers on this machine, as busy as it is, with its client beside it. */
export const bareRate = (): Promise<number> => inHostFolder(rateIn);
