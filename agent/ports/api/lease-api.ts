import type { Lease } from '../../../shared/kube/types/coordination.ts';

/** The Lease of this node at the API server. Each method rejects on any other answer, or none. */
export interface LeaseApi {
  /** `undefined`: there is none. */
  get(): Promise<Lease | undefined>;
  /** Resolves to the Lease as the server has it from then on. */
  create(lease: Lease): Promise<Lease>;
  /** `conflict`: somebody else has written it. */
  update(lease: Lease): Promise<Lease | 'conflict'>;
  /** The uid of this machine's Node. Rejects if there is none. */
  nodeUid(): Promise<string>;
}
