/** The requests by which nodes stay alive: plain heartbeats, and renewals of Leases by agents (JSON) and kubelets (protobuf). */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Lease } from '../../../../shared/kube/types/coordination.ts';
import { NODE_LEASE_NAMESPACE } from '../../../../shared/kube/types/well-known.ts';
import { encodeBody } from '../../../support/objects/protobuf-encoder.ts';
import { uidOf } from '../../fleet/fleet.ts';
import { heartbeatRequest, namesOf, nodeTokens } from '../beats.ts';

export const BEAT_KINDS = ['heartbeat', 'renewal of an agent', 'renewal of a kubelet'] as const;
/** The same request by somebody who is no node: it has no shortcut. */
export const BY_ADMINISTRATOR = 'renewal by an administrator';
export type BeatKind = (typeof BEAT_KINDS)[number] | typeof BY_ADMINISTRATOR;

/** The requests of one node. A renewal carries the version of the Lease that the last answer had. */
export interface NodeBeats {
  /** Makes what the requests need. `undefined`: nothing. */
  readonly first?: Buffer;
  next(): Buffer;
  answered(answer: string): void;
}

const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NODE_LEASE_NAMESPACE}/leases`;
/** Versions are milliseconds since 1970: they have so many digits until the year 2286. */
const NO_VERSION = '9999999999999';

const leaseOf = (name: string, resourceVersion?: string): Lease & { kind: string; apiVersion: string } => ({
  kind: 'Lease',
  apiVersion: 'coordination.k8s.io/v1',
  metadata: {
    name,
    namespace: NODE_LEASE_NAMESPACE,
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid: uidOf(name) }],
  },
  spec: {
    holderIdentity: name,
    leaseDurationSeconds: 40,
    renewTime: new Date().toISOString().replace('Z', '000Z'),
  },
});

const JSON_TYPE = 'application/json';
const PROTOBUF = 'application/vnd.kubernetes.protobuf';

const put = (name: string, token: string, type: string, body: Uint8Array): Buffer => {
  const accept = type === PROTOBUF ? `${PROTOBUF},${JSON_TYPE}` : JSON_TYPE;
  const head = `PUT ${LEASES}/${name} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer ${token}\r\nAccept: ${accept}`;
  const length = `Content-Type: ${type}\r\nContent-Length: ${body.byteLength}`;
  return Buffer.concat([Buffer.from(`${head}\r\n${length}\r\n\r\n`), body]);
};

const renewals = (name: string, token: string, isKubelet: boolean): NodeBeats => {
  const lease = leaseOf(name, NO_VERSION);
  const body = isKubelet ? encodeBody(lease, 'coordination.v1.Lease') : Buffer.from(JSON.stringify(lease));
  const request = put(name, token, isKubelet ? PROTOBUF : JSON_TYPE, body);
  const place = request.lastIndexOf(NO_VERSION);
  return {
    first: put(name, token, JSON_TYPE, Buffer.from(JSON.stringify(leaseOf(name)))),
    next: () => request,
    answered: (answer) => {
      const version = /"resourceVersion":"(\d{13})"/.exec(answer)?.[1];
      if (version === undefined) throw new Error(`no version: ${answer.slice(0, 500)}`);
      request.write(version, place, 'latin1');
    },
  };
};

const nodeBeat = (kind: BeatKind, name: string, token: string): NodeBeats =>
  kind === 'heartbeat' ? heartbeats(name, token) : renewals(name, token, kind === 'renewal of a kubelet');

const heartbeats = (name: string, token: string): NodeBeats => {
  const request = heartbeatRequest(name, token);
  return { next: () => request, answered: () => undefined };
};

/** Kinds that write the same Leases have nodes of their own: agents the first ones of a fleet, kubelets those after them. */
const groupOf = (kind: BeatKind): number => [...BEAT_KINDS, BY_ADMINISTRATOR].indexOf(kind) || 1;

/** The beats of nodes of a fleet, of one kind. */
export const nodeBeats = async (
  folder: string,
  nodes: number,
  kind: BeatKind,
): Promise<readonly NodeBeats[]> => {
  const group = groupOf(kind);
  const names = namesOf(group * nodes).slice(-nodes);
  const administrator = readFileSync(join(folder, 'admin.token'), 'utf8').trim();
  const tokens = kind === BY_ADMINISTRATOR ? [] : await nodeTokens(folder, names);
  return names.map((name, index) => nodeBeat(kind, name, tokens[index] ?? administrator));
};
