/**
 * How many values a body and an object may have: members, elements, and what they lie in. Reading a value costs the same
 * whether it has one byte or a thousand, so bytes alone do not bound the work.
 */
import { requestEntityTooLarge } from './status-error.ts';

/** Of a body, in any format. The largest objects that clients send have some 10,000. */
export const MAX_BODY_VALUES = 25_000;

/** Of a JSON patch: as many operations as one may have, each with a small value. Its values are not checked one by one. */
export const MAX_JSON_PATCH_VALUES = 60_000;

/** Throws 413 for more `values` than a body may have. */
export const checkBodyValues = (values: number, most = MAX_BODY_VALUES): void => {
  if (values > most)
    throw requestEntityTooLarge(
      `Request entity too large: the body has more than ${most} values; send them in several requests`,
    );
};
