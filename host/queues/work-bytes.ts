import { MAX_BODY_VALUES } from '../../shared/kube/json/value-limits.ts';

/**
 * Bytes that the largest stored object occupies while it is read, changed and written, whatever the size of the body. Measured:
 * 14 MB for 80,000 values, more than twice what an object may have (`npm run bench -- --only bodies`).
 */
const OBJECT_BYTES = 16_777_216;
/** Bytes for each byte of a body: it is copied as text, parsed and printed again. Measured: 9 for a long name in protobuf. */
const PER_BYTE = 10;
/** Bytes for each value: the fault that describes a bad label takes the most. Measured: 1,034 with what its bytes take. */
const PER_VALUE = 1_024;
/** A value takes two bytes of a body at least, such as `0,`. */
const VALUE_BYTES = 2;

/**
 * Bytes of memory that a request with a body of this size occupies at most while it is worked on. They are an upper bound of what
 * the bench measures for every kind of body, because the values of a body are not counted before it is parsed.
 */
export const workBytesOf = (bodyBytes: number): number =>
  OBJECT_BYTES +
  bodyBytes * PER_BYTE +
  Math.min(Math.ceil(bodyBytes / VALUE_BYTES), MAX_BODY_VALUES) * PER_VALUE;
