/** Times in which a node, or a zone, was the same. Pure. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { FleetRecord } from '../../../shared/rules/history/record.ts';
import { stateByRules, type ZoneStep } from '../../../shared/rules/history/zone-steps.ts';
import type { Mark } from '../../../shared/rules/roll-call/node-marks.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../../../shared/settings/node-lifecycle.ts';
import { markOf } from './words.ts';

/** A time in which a node looked the same; `mark` absent: there was no Node. */
export interface Segment {
  readonly from: EpochMs;
  readonly to: EpochMs;
  readonly mark: Mark | undefined;
}

/** How a node looked, from the beginning of the record to its end. */
export const segmentsOf = (record: FleetRecord, name: string): readonly Segment[] => {
  const node = record.nodes.indexOf(name);
  const changes = record.changes.filter((change) => change.node === node);
  const states = [{ at: record.since, state: record.base[node] ?? -1 }, ...changes];
  return states.map(({ at, state }, place) => {
    const seen = record.states[state];
    return { from: at, to: states[place + 1]?.at ?? record.until, mark: seen && markOf(seen) };
  });
};

/** The state of a zone from `at` on; `isSaid`: the monitor said it, else it follows from the rules with Kubernetes' defaults. */
export interface ZoneEra {
  readonly at: EpochMs;
  readonly state: string;
  readonly isSaid: boolean;
}

/** The states of a zone: by the rules until the monitor was heard, and then what it said. */
export const zoneEras = (
  record: FleetRecord,
  zone: string,
  steps: readonly ZoneStep[],
): readonly ZoneEra[] => {
  const said = record.zones.filter((one) => one.zone === zone);
  const heardAt = said[0]?.at ?? Number.POSITIVE_INFINITY;
  const derived = steps
    .filter(({ at }) => at < heardAt)
    .map((step) => ({ at: step.at, state: stateByRules(step, NODE_LIFECYCLE_DEFAULTS), isSaid: false }));
  const eras: readonly ZoneEra[] = [
    ...derived,
    ...said.map(({ at, state }) => ({ at, state, isSaid: true })),
  ];
  return eras.filter(
    ({ state, isSaid }, place) => state !== eras[place - 1]?.state || isSaid !== eras[place - 1]?.isSaid,
  );
};
