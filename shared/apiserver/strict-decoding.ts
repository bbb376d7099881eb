import type { StructType } from '../api/schema/field-types.ts';

/** What strict decoding says about a patched object, such as `unknown field "spec.foo"`. Not looked for yet. */
export const strictDecodingFaults = (_patched: unknown, _schema: StructType): readonly string[] => [];
