/** The maximum size of a stored object, for every writer. */

import { requestEntityTooLarge } from '../../kube/errors/status-error.ts';
import { surveyJson } from '../../kube/json/json-members.ts';
import { MAX_OBJECT_VALUES } from '../../kube/json/value-limits.ts';
import type { ApiObject } from '../../kube/types/meta.ts';

/** Bytes of JSON. Source: etcd, `--max-request-bytes`. */
const MAX_OBJECT_BYTES = 1_572_864;

interface Size {
  readonly bytes: number;
  readonly values: number;
}

const sizeOf = (object: ApiObject): Size => {
  const text = JSON.stringify(object);
  return { bytes: Buffer.byteLength(text), values: surveyJson(text).values };
};

const isTooLarge = ({ bytes, values }: Size): boolean =>
  bytes > MAX_OBJECT_BYTES || values > MAX_OBJECT_VALUES;

const isLarger = (a: Size, b: Size): boolean => a.bytes > b.bytes || a.values > b.values;

/** Throws 413 for an object that is too large to process without delaying other requests. An object that was too large before may shrink. */
export const checkObjectSize = (object: ApiObject, before: ApiObject | undefined): void => {
  const size = sizeOf(object);
  if (!isTooLarge(size) || (before && !isLarger(size, sizeOf(before)))) return;
  throw requestEntityTooLarge(
    `Request entity too large: the object would have ${size.bytes} bytes and ${size.values} values; the limits are ${MAX_OBJECT_BYTES} and ${MAX_OBJECT_VALUES}`,
  );
};
