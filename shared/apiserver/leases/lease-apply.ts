import type { Lease } from '../../api/coordination.ts';
import { mergeTyped } from '../../api/managed-fields/typed-merge.ts';
import { DecodeError } from '../../api/schema/decode.ts';
import { badRequest } from '../../api/status-error.ts';
import type { Call } from '../call.ts';
import { readConfiguration } from '../request/apply-body.ts';
import { decodeObject } from '../request/body.ts';
import { inNamespace } from '../request/names.ts';
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
