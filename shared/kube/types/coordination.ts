import type { ApiObject } from './meta.ts';

/** `coordination.k8s.io/v1` Lease. Times are `MicroTime` strings, kept exactly as the client sent them. */
export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly [field: string]: unknown;
}

export interface Lease extends ApiObject {
  readonly spec?: LeaseSpec;
}
