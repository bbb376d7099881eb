/** The Lease of this machine's Node. Its answers announce the node's work. */

import type { ApiAnswer } from '../../../shared/client/api-client.ts';
import type { Lease } from '../../../shared/kube/types/coordination.ts';
import { NODE_LEASE_NAMESPACE, WORK_REVISION_HEADER } from '../../../shared/kube/types/well-known.ts';
import type { LeaseApi } from '../../ports/api/lease-api.ts';
import { type ApiSession, bodyIfThere, bodyOf } from './session.ts';

const LEASES = `/apis/coordination.k8s.io/v1/namespaces/${NODE_LEASE_NAMESPACE}/leases`;

export interface LeaseApiDeps {
  readonly session: ApiSession;
  readonly nodeName: string;
  readonly nodeUid: string;
  /** A write was answered with the revision of the node's work; `undefined`: the server does not announce work. */
  onBeat(revision: string | undefined): void;
}

export const createLeaseApi = ({ session, nodeName, nodeUid, onBeat }: LeaseApiDeps): LeaseApi => {
  const path = `${LEASES}/${encodeURIComponent(nodeName)}`;
  const beaten = (answer: ApiAnswer): Lease => {
    const lease = bodyOf<Lease>(answer);
    const revision = answer.headers[WORK_REVISION_HEADER];
    onBeat(typeof revision === 'string' ? revision : undefined);
    return lease;
  };
  return {
    get: async () => bodyIfThere<Lease>(await session.request('GET', path, { isBeat: true })),
    create: async (lease) => beaten(await session.request('POST', LEASES, { body: lease, isBeat: true })),
    update: async (lease) => {
      const answer = await session.request('PUT', path, { body: lease, isBeat: true });
      return answer.status === 409 ? 'conflict' : beaten(answer);
    },
    // The token is void without the Node of this uid.
    nodeUid: async () => nodeUid,
  };
};
