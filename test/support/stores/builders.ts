// What the suites write: a change takes only what its case is about.
import { randomUUID } from 'node:crypto';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import type { LogEntry, Tombstone } from '../../../shared/ports/store/change-log.ts';
import type { Commit, CommitOutcome } from '../../../shared/ports/store/commit.ts';
import type { StoredLease } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import type { Facts, NodeFacts, ObjectKey, PodFacts } from '../../../shared/ports/store/rows.ts';

/** An instant ahead of any run: what is written at it has not expired, and no emulator sweeps it away. */
export const T0 = 2_000_000_000_000;
export const EXPIRES_AT = 4_000_000_000_000;

export const podKey = (name: string, namespace = 'default'): ObjectKey => ({
  resource: 'pods',
  namespace,
  name,
});

export const nodeFacts = (facts: Partial<NodeFacts> = {}): NodeFacts => ({
  zone: 'eu-west-1:\0:eu-west-1a',
  createdAt: T0,
  excludeDisruption: false,
  clientReady: false,
  noExecute: [],
  ...facts,
});

export const podFacts = (facts: Partial<PodFacts> = {}): PodFacts => ({
  nodeName: '',
  tolerations: [],
  ...facts,
});

const KINDS: Readonly<Record<string, string>> = { nodes: 'Node', pods: 'Pod' };

export const anObject = (
  { resource, namespace, name }: ObjectKey,
  revision: number,
  uid: string,
): ApiObject => ({
  apiVersion: 'v1',
  kind: KINDS[resource] ?? 'ConfigMap',
  metadata: { name, ...(namespace ? { namespace } : {}), uid, resourceVersion: String(revision) },
});

const defaultFacts = ({ resource }: ObjectKey): Facts => {
  if (resource === 'nodes') return { node: nodeFacts() };
  return resource === 'pods' ? { pod: podFacts() } : {};
};

export interface Change {
  readonly key: ObjectKey;
  readonly revision: number;
  readonly expected?: number;
  readonly uid?: string;
  readonly type?: LogEntry['type'];
  readonly facts?: Facts;
  readonly attempt?: string;
  readonly heartbeat?: Commit['heartbeat'];
  readonly check?: Commit['check'];
  readonly capacity?: Commit['capacity'];
  readonly edges?: Commit['edges'];
  readonly rows?: Commit['rows'];
  readonly tokenUse?: Commit['tokenUse'];
  readonly turn?: Commit['turn'];
  readonly addresses?: Commit['addresses'];
  /** Whether the commit logs the object as MODIFIED in the slot below its own. */
  readonly isSeenBefore?: boolean;
}

/** A commit; DELETED leaves a marker. */
export const aCommit = ({ key, revision, expected, uid = randomUUID(), ...change }: Change): Commit => {
  const type = change.type ?? (expected === undefined ? 'ADDED' : 'MODIFIED');
  const object = anObject(key, revision, uid);
  const attempt = change.attempt ?? randomUUID();
  const logged = { slot: 'entry', key, attempt, at: T0 } as const;
  const preceding: LogEntry = {
    ...logged,
    type: 'MODIFIED',
    revision: revision - 1,
    object: anObject(key, revision - 1, uid),
    before: { unset: ['before'] },
  };
  return {
    key,
    revision,
    expected,
    uid,
    next: type === 'DELETED' ? 'marker' : { uid, object, facts: change.facts ?? defaultFacts(key) },
    entry: {
      ...logged,
      revision,
      type,
      object,
      before: type === 'ADDED' ? null : { set: { before: true } },
    },
    ...(change.isSeenBefore ? { preceding } : {}),
    ...(change.heartbeat ? { heartbeat: change.heartbeat } : {}),
    ...(change.check ? { check: change.check } : {}),
    ...(change.capacity ? { capacity: change.capacity } : {}),
    ...(change.edges ? { edges: change.edges } : {}),
    ...(change.rows ? { rows: change.rows } : {}),
    ...(change.turn ? { turn: change.turn } : {}),
    ...(change.addresses ? { addresses: change.addresses } : {}),
    ...(change.tokenUse ? { tokenUse: change.tokenUse } : {}),
  };
};

export const aTombstone = (revision: number, attempt: string = randomUUID()): Tombstone => ({
  slot: 'tombstone',
  revision,
  attempt,
  at: T0,
});

/** Takes the next number and commits. */
export const change = async (
  objects: ObjectStore,
  given: Omit<Change, 'revision'>,
): Promise<{ readonly outcome: CommitOutcome; readonly revision: number; readonly commit: Commit }> => {
  const { highest: revision } = await objects.takeRevisions(given.key.resource, 1, T0);
  const commit = aCommit({ ...given, revision });
  return { outcome: await objects.commit(commit), revision, commit };
};

/** A kubelet's Lease. */
export const aLease = (
  node: string,
  nodeUid: string,
  renewTime = '2026-01-05T00:00:00.123456Z',
): StoredLease => ({
  uid: randomUUID(),
  createdAt: T0,
  spec: { holderIdentity: node, leaseDurationSeconds: 40, renewTime },
  metadata: { ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name: node, uid: nodeUid }] },
});
