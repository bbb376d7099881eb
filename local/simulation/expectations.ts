import type { Field } from './yaml-fields.ts';
import {
  durationField,
  eitherField,
  listField,
  objectField,
  optional,
  refuse,
  wholeNumberField,
} from './yaml-fields.ts';

const range: Field<readonly [number, number]> = (() => {
  const list = listField(wholeNumberField(0));
  const accepts = 'a whole number, or a list of the least and the most';
  return {
    accepts,
    read: (at) => {
      const given = eitherField(list, wholeNumberField(0)).read(at);
      if (typeof given === 'number') return [given, given];
      const [least, top] = given;
      return least === undefined || top === undefined || given.length > 2
        ? refuse(at, accepts)
        : [least, top];
    },
  };
})();
const span: Field<readonly [number, number]> = {
  accepts: 'a list of the shortest and the longest, such as [40s, 46s]',
  read: (at) => {
    const [least, top, ...more] = listField(durationField).read(at);
    return least === undefined || top === undefined || more.length > 0
      ? refuse(at, span.accepts)
      : [least, top];
  },
};

export const EXPECT = objectField({
  falseUnknown: optional(wholeNumberField(0), undefined),
  /** How often a node's Ready became Unknown. */
  unknown: optional(range, undefined),
  /** From the last beat that arrived to Unknown. */
  unknownWithin: optional(span, undefined),
  /** From the last breath to Unknown: median, and 99 of 100. */
  crashToUnknownP50: optional(durationField, undefined),
  crashToUnknownP99: optional(durationField, undefined),
  taints: optional(range, undefined),
  minTaintGap: optional(durationField, undefined),
  podsEvicted: optional(range, undefined),
  podsLateBy: optional(durationField, undefined),
  notReadyAtEnd: optional(range, undefined),
  taintedAtEnd: optional(range, undefined),
});
export type Expectations = ReturnType<typeof EXPECT.read>;
