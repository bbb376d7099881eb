/** NUMA hints as the recorded tables write them: `[[0, 1] or null, true]`. */
import type { ResourceHints, TopologyHint } from '../../../../agent/rules/topology/hint.ts';
import { knownMask, nodesOf } from '../../../../agent/rules/topology/numa-mask.ts';

export type RecordedHint = readonly [readonly number[] | null, boolean];

/** `null`: no preference; an empty list: impossible. */
export type RecordedHints = Readonly<Record<string, readonly RecordedHint[] | null>>;

export const hintOf = ([nodes, isPreferred]: RecordedHint): TopologyHint => ({
  isPreferred,
  ...(nodes && { affinity: knownMask(nodes) }),
});

export const recordedHint = ({ affinity, isPreferred }: TopologyHint): RecordedHint => [
  affinity === undefined ? null : nodesOf(affinity),
  isPreferred,
];

export const resourceHintsOf = (hints: RecordedHints | null): ResourceHints | undefined =>
  hints
    ? Object.fromEntries(Object.entries(hints).map(([name, list]) => [name, list?.map(hintOf)]))
    : undefined;
