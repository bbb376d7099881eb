import { inNamespace } from '../../kinds/contract/names.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { mergeTyped } from '../../kube/managed-fields/typed-merge.ts';
import { DecodeError } from '../../kube/schema/decode.ts';
import type { Lease } from '../../kube/types/coordination.ts';
import { readConfiguration } from '../body/apply-body.ts';
import { decodeObject } from '../body/body.ts';
import type { Call } from '../contract/call.ts';
import { LEASE_KIND, LEASE_SCHEMA } from './lease-object.ts';

/** The Lease after a server-side apply. Leases have no managed fields, so nothing conflicts and no field is removed. */
export const appliedLease = (call: Call, before: Lease | undefined): Lease => {
  const config = readConfiguration<Lease>(call.request, { kind: LEASE_KIND, schema: LEASE_SCHEMA });
  const merged = mergeTyped(before ?? {}, config, LEASE_SCHEMA);
  try {
    return inNamespace(decodeObject<Lease>(merged, LEASE_KIND, LEASE_SCHEMA), call.info.namespace);
  } catch (error) {
    if (!(error instanceof DecodeError)) throw error;
    throw badRequest(`failed to convert new object: ${error.message}`);
  }
};
