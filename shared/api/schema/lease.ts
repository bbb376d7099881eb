import { keptInt32, keptText, microTime, struct, text } from './field-types.ts';
import { objectMeta } from './meta.ts';

export const leaseSchema = struct('Lease', {
  apiVersion: text,
  kind: text,
  metadata: objectMeta,
  spec: struct('LeaseSpec', {
    holderIdentity: keptText,
    leaseDurationSeconds: keptInt32,
    acquireTime: microTime,
    renewTime: microTime,
    leaseTransitions: keptInt32,
    strategy: keptText,
    preferredHolder: keptText,
  }),
});
