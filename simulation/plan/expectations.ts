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
  const accepts = 'a whole number, or a list of minimum and maximum';
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
  accepts: 'a list of minimum and maximum, such as [40s, 46s]',
  read: (at) => {
    const [least, top, ...more] = listField(durationField).read(at);
    return least === undefined || top === undefined || more.length > 0
      ? refuse(at, span.accepts)
      : [least, top];
  },
};

/** What a scenario expects of its run; `docs/simulation.md` explains each field. Durations in ms. */
export const EXPECT = objectField({
  /** How many nodes became Unknown although a heartbeat had arrived within the grace period. */
  falseUnknown: optional(wholeNumberField(0), undefined),
  /** How often a node's Ready became Unknown. */
  unknown: optional(range, undefined),
  /** Range of the time from the last heartbeat that arrived to Unknown. */
  unknownWithin: optional(span, undefined),
  /** Most time from the crash to Unknown: median, and 99th percentile. */
  crashToUnknownP50: optional(durationField, undefined),
  crashToUnknownP99: optional(durationField, undefined),
  taints: optional(range, undefined),
  minTaintGap: optional(durationField, undefined),
  podsEvicted: optional(range, undefined),
  podsLateBy: optional(durationField, undefined),
  podsPlaced: optional(range, undefined),
  /** Evicted pods of workloads without a successor. */
  podsMissing: optional(range, undefined),
  /** Most time from an eviction to the place of the successor, and from the crash of the machine. */
  placedAfterEviction: optional(durationField, undefined),
  placedAfterCrash: optional(durationField, undefined),
  /** Of all workloads together: pods that are ready at the end, and pods that are there. */
  podsReadyAtEnd: optional(range, undefined),
  podsAtEnd: optional(range, undefined),
  /** The fewest ready pods of a workload, once all were ready. */
  leastReady: optional(range, undefined),
  /** Most time that a rollout or a deletion took. */
  doneWithin: optional(durationField, undefined),
  /** Most time from the deletion of a namespace until it is gone. */
  namespaceGoneWithin: optional(durationField, undefined),
  /** Sites of relays that were cut off, each time, and that returned. */
  sitesCutOff: optional(range, undefined),
  sitesReturned: optional(range, undefined),
  /** Drains that have ended with an empty node, nodes whose drain goes on at the end, and most nodes with a request at the same time. */
  nodesDrained: optional(range, undefined),
  drainsUnfinished: optional(range, undefined),
  mostDraining: optional(range, undefined),
  /** Nodes to which maintenance was announced before it began on them. */
  nodesAnnounced: optional(range, undefined),
  /** Most time from a request until its node was drained. */
  drainedWithin: optional(durationField, undefined),
  /** What was tainted or evicted although a Hold in force covered it, Holds at the end, and the most time until one was in force. */
  destroyedUnderHold: optional(range, undefined),
  holdsAtEnd: optional(range, undefined),
  holdInForceWithin: optional(durationField, undefined),
  /** The most pods that were evicted within ten seconds. */
  mostEvictedInTenSeconds: optional(range, undefined),
  /** Nodes with podCIDRs at the end, blocks that were given to a second Node, and blocks that two Nodes had at once. */
  nodesWithAddresses: optional(range, undefined),
  addressesReused: optional(range, undefined),
  addressesTwice: optional(range, undefined),
  /** How often a sink of events is told something of a severity, in groups. */
  notifications: optional(
    objectField({
      critical: optional(range, undefined),
      warning: optional(range, undefined),
      resolved: optional(range, undefined),
    }),
    undefined,
  ),
  /** Volumes that are attached at the end, those that two nodes had at once, and the most time without one between two nodes. */
  volumesAtEnd: optional(range, undefined),
  volumesTwice: optional(range, undefined),
  volumeMovedWithin: optional(durationField, undefined),
  notReadyAtEnd: optional(range, undefined),
  taintedAtEnd: optional(range, undefined),
});
/** The expectations of a scenario. Durations in ms. */
export type Expectations = ReturnType<typeof EXPECT.read>;
