import { apiVersionOf, type Strategy } from '../../shared/kinds/contract/strategy.ts';
import { badRequest } from '../../shared/kube/errors/status-error.ts';
import { decode } from '../../shared/kube/schema/decode.ts';
import { DecodeError } from '../../shared/kube/schema/go-types.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';

/**
 * An object that a controller makes, as the API reads it from a client's body: without empty, null and unknown fields, quantities
 * canonical. Throws 400 for a field of a wrong type, such as in a template of a ControllerRevision that a client has made.
 */
export const asSent = <T extends ApiObject>(
  { kind, schema }: Pick<Strategy<T>, 'kind' | 'schema'>,
  made: T,
): T => {
  try {
    const decoded = {
      metadata: {},
      ...decode(made, schema),
      kind: kind.kind,
      apiVersion: apiVersionOf(kind),
    };
    return decoded as unknown as T;
  } catch (error) {
    throw error instanceof DecodeError ? badRequest(error.message) : error;
  }
};
