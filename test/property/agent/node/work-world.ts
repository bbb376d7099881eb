/** A control plane with the work of one node, whose answers may be lost, late, cut, or those of another cluster. */
import { createHash } from 'node:crypto';
import type { ApiSession, RequestOptions } from '../../../../agent/adapters/api/session.ts';
import type { WorkSink } from '../../../../agent/ports/api/work-sink.ts';
import type { NodeWork } from '../../../../agent/rules/registration/node-work.ts';
import type { VirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { ApiAnswer } from '../../../../shared/client/api-client.ts';

export const FAULTS = ['none', 'lost', 'unanswered', 'cut', 'foreign', 'late', 'failed'] as const;
export type Fault = (typeof FAULTS)[number];

export const OWNER = { clusterId: 'c1', nodeUid: 'u1' };
/** Pods of a page. */
const PAGE = 3;
const LATE_MS = 4_000;

interface ListedPod {
  readonly uid: string;
  readonly isEnding: boolean;
}

const podOf = ({ uid, isEnding }: ListedPod) => ({
  metadata: { name: uid, namespace: 'default', uid, ...(isEnding ? { deletionTimestamp: 'x' } : {}) },
  spec: { containers: [] },
});

const answer = (status: number, body: unknown, headers: object = {}): ApiAnswer => ({
  status,
  body,
  headers: { ...headers },
});

/** The server. A change that is not `isTold` raises no revision, as when the message that does it is lost. */
export const createWorkServer = () => {
  const pods = new Map<string, ListedPod>();
  let revision = 1;
  const page = (from: string | undefined, etag: string | undefined): ApiAnswer => {
    const [asOf = String(revision), after] = from === undefined ? [] : from.split(' ');
    const left = [...pods.values()]
      .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
      .filter(({ uid }) => after === undefined || uid > after);
    const shown = left.slice(0, PAGE);
    const next = left.length > PAGE ? shown.at(-1)?.uid : undefined;
    const own = createHash('sha256')
      .update(JSON.stringify([asOf, after, next, shown]))
      .digest('hex');
    const lists = { pods: shown.map(podOf), configMaps: [], secrets: [] };
    if (etag === own) return answer(304, '');
    const metadata = { uid: OWNER.nodeUid, ...(next && { continue: `${asOf} ${next}` }) };
    const node = { unschedulable: false, taints: [] };
    const body = {
      kind: 'NodeWork',
      metadata,
      workRevision: asOf,
      clusterId: OWNER.clusterId,
      node,
      ...lists,
    };
    return answer(200, body, { etag: own });
  };
  return {
    page,
    revision: () => String(revision),
    has: (uid: string) => pods.has(uid),
    listed: () => [...pods.values()].map(({ uid, isEnding }) => `${uid} ${isEnding}`).toSorted(),
    change: (change: () => void, isTold: boolean) => {
      change();
      if (isTold) revision += 1;
    },
    pods,
  };
};

export type WorkServer = ReturnType<typeof createWorkServer>;

const spoilt = (fault: Fault, given: ApiAnswer): ApiAnswer => {
  if (fault === 'cut') return { ...given, body: JSON.stringify(given.body).slice(0, -20) };
  if (fault === 'failed') return answer(500, { message: 'later' });
  if (fault !== 'foreign' || typeof given.body !== 'object') return given;
  // What another cluster says of a node of this name: it has no pods.
  return { ...given, body: { ...given.body, clusterId: 'c2', pods: [] } };
};

const respond = (
  server: WorkServer,
  method: string,
  path: string,
  { headers }: RequestOptions,
): ApiAnswer => {
  const { pathname, searchParams } = new URL(path, 'http://server');
  if (pathname.endsWith('/work'))
    return server.page(searchParams.get('continue') ?? undefined, headers?.['if-none-match']);
  const lease = { metadata: { name: 'n1', ownerReferences: [{}] }, spec: {} };
  return answer(method === 'POST' ? 201 : 200, lease, { 'rollcall-work-revision': server.revision() });
};

/** The requests of the node; `faultOf` is asked for each. */
export const createFaultySession = (
  server: WorkServer,
  clock: VirtualClock,
  faultOf: () => Fault,
): ApiSession => ({
  reset: () => undefined,
  request: async (method, path, options = {}) => {
    const fault = faultOf();
    if (fault === 'lost') throw new Error('connection refused');
    const given = respond(server, method, path, options);
    if (fault === 'late') await clock.sleep(LATE_MS);
    if (fault === 'unanswered') throw new Error('no answer');
    return spoilt(fault, given);
  },
});

/** Takes work, and remembers each pod that it ended although the server still had it. */
export const createCheckedSink = (server: WorkServer, followsObjects: boolean) => {
  let running: readonly string[] = [];
  let shown: readonly string[] = [];
  const wronged: string[] = [];
  const apply = async ({ pods }: NodeWork): Promise<void> => {
    const given = new Set(pods.map(({ metadata }) => metadata.uid ?? ''));
    wronged.push(...running.filter((uid) => !given.has(uid) && server.has(uid)));
    running = [...given];
    shown = pods
      .map(({ metadata }) => `${metadata.uid} ${metadata.deletionTimestamp !== undefined}`)
      .toSorted();
  };
  const sink: WorkSink = { apply, followsObjects: () => followsObjects, abandon: async () => undefined };
  return { sink, shown: () => shown, wronged };
};
