/**
 * Clients that create Nodes and Pods as fast as they can, while the host is killed. What follows from a new object must follow after a kill,
 * too: a Node gets its Event and its taints, a Pod its node.
 */
import { setTimeout as wait } from 'node:timers/promises';
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { MachinesDeps } from './machines.ts';

const CLIENTS = 32;
/** Objects of a client whose consequences are not checked yet. */
const MOST_OPEN = 4;
const LOOK_MS = 200;
/** So long (ms) a host may run until everything has followed. */
const PATIENCE_MS = 20_000;
const PAUSE_MS = 20;

export interface Creators {
  /** Resolves when all has followed from what was created so far, or a violation is noted. */
  settled(): Promise<void>;
  stop(): Promise<void>;
}

interface Made {
  readonly path: string;
  /** Whether the host that created it was killed before its answer: it may not be there. */
  readonly isUnclear: boolean;
  /** For how long (ms) hosts have run since. */
  waitedMs: number;
}

const NODES = '/api/v1/nodes';
const PODS = '/api/v1/namespaces/default/pods';

/** Pods may only run where machines never fall silent. */
const objectOf = (isNode: boolean, name: string): ApiObject =>
  (isNode
    ? { apiVersion: 'v1', kind: 'Node', metadata: { name } }
    : {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name, namespace: 'default' },
        spec: {
          nodeSelector: { 'topology.kubernetes.io/zone': 'a' },
          containers: [{ name: 'c', image: 'host' }],
        },
      }) as ApiObject;

/** A Node that nobody hears: at first the one, after a grace period the other. */
const OF_SILENCE: readonly string[] = ['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable'];
/** Begins the names of all that is created. */
export const MADE = 'made-';

/** Starts the clients. */
export const startCreators = ({ link, ledger, token }: MachinesDeps): Creators => {
  const open = new Set<Made>();
  let isStopped = false;
  const call = (method: string, path: string, body?: object) => link.client.call(method, path, token, body);

  const hasEvent = async (name: string): Promise<boolean> => {
    const selector = encodeURIComponent(`involvedObject.name=${name},reason=RegisteredNode`);
    const { body } = await call('GET', `/api/v1/namespaces/default/events?fieldSelector=${selector}`);
    return (body as { readonly items?: readonly object[] }).items?.length === 1;
  };
  /** What has not followed yet; `undefined`: all has. */
  const missing = async ({ path, isUnclear }: Made): Promise<string | undefined> => {
    const { status, body } = await call('GET', path);
    if (status === 404 && isUnclear) return undefined;
    if (status !== 200) return `the answer ${status}`;
    if (path.startsWith(PODS)) return (body as Pod).spec.nodeName === undefined ? 'no node' : undefined;
    const node = body as Node;
    if (!node.spec?.taints?.some(({ key }) => OF_SILENCE.includes(key))) return 'no taint';
    return (await hasEvent(node.metadata.name)) ? undefined : 'no Event';
  };
  const check = async (made: Made): Promise<void> => {
    const lack = await missing(made);
    if (lack !== undefined && made.waitedMs < PATIENCE_MS) {
      made.waitedMs += LOOK_MS;
      await wait(LOOK_MS);
      return;
    }
    if (lack !== undefined) ledger.violate(`${made.path}: ${lack} after ${PATIENCE_MS} ms`);
    open.delete(made);
    await call('DELETE', made.path, { gracePeriodSeconds: 0 });
  };
  const create = async (name: string, isNode: boolean): Promise<Made> => {
    const [list, path] = isNode ? [NODES, `${NODES}/${name}`] : [PODS, `${PODS}/${name}`];
    try {
      const { status, body } = await call('POST', list, objectOf(isNode, name));
      if (status !== 201) ledger.violate(`create ${path}: ${status} ${JSON.stringify(body)}`);
      return { path, isUnclear: false, waitedMs: 0 };
    } catch {
      return { path, isUnclear: true, waitedMs: 0 };
    }
  };
  const work = async (client: number): Promise<void> => {
    let own: readonly Made[] = [];
    for (let serial = 0; !isStopped; serial += 1) {
      await wait(PAUSE_MS);
      if (!link.isUp()) continue;
      own = own.filter((made) => open.has(made));
      const [oldest] = own;
      if (oldest && own.length >= MOST_OPEN)
        // The host may have been killed meanwhile: the next one is asked again.
        await check(oldest).catch(() => undefined);
      else {
        const made = await create(`${MADE}${client}-${serial}`, client % 2 === 0);
        own = [...own, made];
        open.add(made);
      }
    }
  };
  const working = Promise.all(Array.from({ length: CLIENTS }, (_, client) => work(client)));
  const stop = async (): Promise<void> => {
    isStopped = true;
    await working;
  };
  return {
    settled: async () => {
      await stop();
      while (open.size > 0)
        await Promise.all([...open].map((made) => check(made).catch(() => wait(LOOK_MS))));
    },
    stop,
  };
};
