/** Values of any shape that a schema allows, in canonical form. */
import fc from 'fast-check';
import type { FieldType, Scalar, StructType } from '../../../shared/kube/schema/field-types.ts';
import { canonicalQuantity } from '../../../shared/kube/values/quantity.ts';
import { toTime } from '../../../shared/kube/values/time.ts';

const seconds = fc.integer({ min: 0, max: 4_000_000_000 });
const text = fc.string({ unit: 'grapheme', maxLength: 12 });

const microTime = fc
  .tuple(seconds, fc.integer({ min: 0, max: 999_999 }))
  .map(([at, micros]) => `${toTime(at * 1000).slice(0, -1)}.${String(micros).padStart(6, '0')}Z`);

const quantity = fc
  .tuple(fc.integer({ min: 0, max: 100_000 }), fc.constantFrom('', 'm', 'Ki', 'Mi', 'k'))
  .map(([amount, unit]) => canonicalQuantity(`${amount}${unit}`) ?? '0');

const SCALARS: Readonly<Record<Scalar, fc.Arbitrary<unknown>>> = {
  string: text,
  bool: fc.boolean(),
  int32: fc.integer(),
  int64: fc.maxSafeInteger(),
  double: fc.double({ noNaN: true, noDefaultInfinity: true }).map((value) => value + 0),
  time: seconds.map((at) => toTime(at * 1000)),
  microTime,
  quantity,
  intOrString: fc.oneof(fc.integer(), text),
  bytes: fc.uint8Array({ maxLength: 9 }).map((bytes) => Buffer.from(bytes).toString('base64')),
  raw: fc.dictionary(fc.string(), fc.constant({})),
};

const MOST_FIELDS = 6;

const structOf = ({ fields }: StructType, depth: number): fc.Arbitrary<object> => {
  const all = Object.entries(fields);
  return fc
    .subarray(all, { maxLength: Math.min(MOST_FIELDS, all.length) })
    .chain((chosen) =>
      fc.record(Object.fromEntries(chosen.map(([name, type]) => [name, anyOf(type, depth - 1)]))),
    );
};

const anyOf = (type: FieldType, depth: number): fc.Arbitrary<unknown> => {
  if (type.type === 'struct') return depth <= 0 ? fc.constant({}) : structOf(type, depth);
  if (type.type === 'list') return fc.array(anyOf(type.of, depth), { minLength: 1, maxLength: 2 });
  if (type.type === 'map')
    return fc.dictionary(text, anyOf(type.of, depth), { minKeys: 1, maxKeys: 2, noNullPrototype: true });
  return SCALARS[type.type];
};

/** Values of a struct, down to `depth` structs within it. */
export const valuesOf = (type: StructType, depth = 4): fc.Arbitrary<object> => structOf(type, depth);
