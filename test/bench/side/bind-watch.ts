/** A watch of pods, which tells when each got its node. */
import { once } from 'node:events';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { Target } from './control-plane.ts';
import { PODS } from './objects.ts';

/** A control plane that binds no pod for so long has stopped to do so. */
const PATIENCE_MS = 60_000;

/** By the names of pods, the instant (of `performance.now`) at which each was seen with a node. */
export type Binds = ReadonlyMap<string, number>;

/** A watch without a version begins with what is there. */
const openWatch = async ({ port, ca, token }: Target): Promise<IncomingMessage> => {
  const headers = { authorization: `Bearer ${token}` };
  const path = `${PODS}?watch=1`;
  const sent = request({ host: '127.0.0.1', port, ca, path, headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  return response;
};

/** Resolves with whether `count` pods are bound; else the watch has ended, as a server that is busy may end it. */
const follow = async (
  response: IncomingMessage,
  count: number,
  binds: Map<string, number>,
): Promise<boolean> => {
  let isOverdue = false;
  const timer = setTimeout(() => {
    isOverdue = true;
    response.destroy();
  }, PATIENCE_MS);
  for await (const line of createInterface(response)) {
    const { metadata, spec } = (JSON.parse(line) as { readonly object: Pod }).object;
    if (spec.nodeName === undefined || binds.has(metadata.name)) continue;
    binds.set(metadata.name, performance.now());
    timer.refresh();
    if (binds.size === count) break;
  }
  clearTimeout(timer);
  response.destroy();
  if (isOverdue) throw new Error(`${binds.size} of ${count} pods were bound`);
  return binds.size === count;
};

/**
 * Opens the watch in a namespace without pods. Resolves, when it is open, with a function that waits until `count` pods are bound, and
 * rejects if none is bound for a minute.
 */
export const watchBinds = async (target: Target, count: number): Promise<() => Promise<Binds>> => {
  const binds = new Map<string, number>();
  const first = await openWatch(target);
  const collect = async (): Promise<Binds> => {
    let isDone = await follow(first, count, binds);
    while (!isDone) isDone = await follow(await openWatch(target), count, binds);
    return binds;
  };
  const collected = collect();
  return () => collected;
};
