/**
 * How many values (at any depth, see `JsonSurvey.values`) a body may have. The cost of a body depends on the number of
 * its values more than on its bytes, so a limit of bytes alone does not bound the work.
 */
import { requestEntityTooLarge } from '../errors/status-error.ts';

/**
 * The limit for a body in any format. Among the largest objects that clients send are Endpoints of 1,000 addresses, with 8,000
 * values, and EndpointSlices of 100 endpoints, with 1,800.
 */
export const MAX_BODY_VALUES = 12_000;

/** The limit for an object. It is three times that for a body, because `managedFields` lists each field with an empty object. */
export const MAX_OBJECT_VALUES = 3 * MAX_BODY_VALUES;

/** Values of an operation of a JSON patch without what it adds: the operation, its `op`, its `path`, its `value`. */
export const OPERATION_VALUES = 4;

/** The limit for a JSON patch: the most operations that it may have, and as many values in them as in another body. */
export const MAX_JSON_PATCH_VALUES = 10_000 * OPERATION_VALUES + MAX_BODY_VALUES;

/** Throws 413 if `values` exceeds the limit. */
export const checkBodyValues = (values: number, most = MAX_BODY_VALUES): void => {
  if (values > most)
    throw requestEntityTooLarge(
      `Request entity too large: the body has more than ${most} values; send them in several requests`,
    );
};
