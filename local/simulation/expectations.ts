import type { Field } from './yaml-fields.ts';
import { duration, either, listOf, object, optional, refuse, whole } from './yaml-fields.ts';

const range: Field<readonly [number, number]> = (() => {
  const list = listOf(whole(0));
  const accepts = 'a whole number, or a list of the least and the most';
  return {
    accepts,
    read: (at) => {
      const given = either(list, whole(0)).read(at);
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
    const [least, top, ...more] = listOf(duration).read(at);
    return least === undefined || top === undefined || more.length > 0
      ? refuse(at, span.accepts)
      : [least, top];
  },
};

export const EXPECT = object({
  falseUnknown: optional(whole(0), undefined),
  /** How often a node's Ready became Unknown. */
  unknown: optional(range, undefined),
  /** From the last beat that arrived to Unknown. */
  unknownWithin: optional(span, undefined),
  /** From the last breath to Unknown: median, and 99 of 100. */
  crashToUnknownP50: optional(duration, undefined),
  crashToUnknownP99: optional(duration, undefined),
  taints: optional(range, undefined),
  minTaintGap: optional(duration, undefined),
  podsEvicted: optional(range, undefined),
  podsLateBy: optional(duration, undefined),
  notReadyAtEnd: optional(range, undefined),
  taintedAtEnd: optional(range, undefined),
});
export type Expectations = ReturnType<typeof EXPECT.read>;
