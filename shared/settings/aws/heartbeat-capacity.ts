/** Provisioned capacity of the table of heartbeats, for a fleet of a size. */

/** The fleet whose beats are stored. */
export interface BeatingFleet {
  readonly nodes: number;
  readonly intervalSeconds: number;
}

/** Units a second that are always there. */
export interface CapacityUnits {
  readonly writes: number;
  readonly reads: number;
}

/** Of the units that are always there: how many auto scaling may make of them. */
export const MOST_TIMES = 10;
/** Percent of the units that auto scaling wants to be used. */
export const TARGET_PERCENT = 67;

/** A beat is one write, and half as many again are spare. Passes read all items each few seconds. */
const SPARE_WRITES = 1.5;
const LEAST_READS = 5;
const READS_OF_NODE = 0.0075;

export const capacityUnits = ({ nodes, intervalSeconds }: BeatingFleet): CapacityUnits => ({
  writes: Math.ceil((nodes / intervalSeconds) * SPARE_WRITES),
  reads: LEAST_READS + Math.ceil(nodes * READS_OF_NODE),
});

/** As the output `HeartbeatCapacity` of a stack says it. */
export const capacityText = ({ nodes, intervalSeconds }: BeatingFleet): string =>
  `${nodes} nodes, each ${intervalSeconds} s`;

/** The inverse; `undefined`: the table is billed by request. */
export const capacityIn = (text = ''): BeatingFleet | undefined => {
  const [, nodes, intervalSeconds] = /^(\d+) nodes, each (\d+) s$/.exec(text) ?? [];
  return nodes === undefined ? undefined : { nodes: Number(nodes), intervalSeconds: Number(intervalSeconds) };
};
