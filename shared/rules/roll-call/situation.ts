/** Sentences about the situation of a fleet: what is wrong, and what does not happen, and why. */

import { drainSentence, isHeldUp } from './drain-line.ts';
import type { Monitoring } from './next-steps.ts';
import type { NodeLine } from './node-line.ts';
import { isLate } from './node-marks.ts';
import type { RollCall } from './roll-call.ts';
import { timeOfDay } from './units.ts';
import type { ZoneLine } from './zone-lines.ts';

/** The verb of a number of nodes. */
const verb = (count: number, one: string, several: string): string => (count === 1 ? one : several);

const isDown = ({ ready }: NodeLine): boolean => ready === 'Unknown' || ready === 'False';

/** What is read of a zone. */
type Standing = Pick<ZoneLine, 'name' | 'size' | 'ready' | 'rate'> & { readonly state: string };

const isStopped = ({ size, ready, rate, state }: Standing): boolean =>
  ready < size && rate === 0 && state !== 'Initial';

/** Where no pod is evicted although nodes are down, and why. */
export const stoppedZones = (zones: readonly Standing[]): readonly string[] => {
  const still = zones.filter(isStopped);
  const isAll = zones.every(({ state, ready, size }) => state === 'FullDisruption' && ready < size);
  if (still.length > 0 && isAll) return ['no pod is evicted: every zone is down, so it may be the network'];
  return still.map(
    ({ name, size, ready }) =>
      `zone ${name}: evictions stopped, ${size - ready} of ${size} nodes ${verb(size - ready, 'is', 'are')} down`,
  );
};

const quiet = ({ quietUntil, now }: RollCall): readonly string[] =>
  quietUntil > now ? [`evictions are paused until ${timeOfDay(quietUntil)}: the host was away`] : [];

/** A pod of a StatefulSet keeps its name until it is gone for sure, so nobody else may have it: the sentence that says so. */
export const heldPodText = (pod: string, node: string): string =>
  `${pod} has no successor: it may still run on ${node}, until that answers or its Node is deleted`;

/** The sentences about such pods of a roll call. */
export const heldPods = ({ nodes }: Pick<RollCall, 'nodes'>): readonly string[] =>
  nodes.filter(isDown).flatMap(({ name: node, held }) => held.map((pod) => heldPodText(pod, node)));

/** Drains that go on only when a budget allows it, or a person does something. */
export const heldDrains = (nodes: readonly Pick<NodeLine, 'name' | 'drain'>[]): readonly string[] =>
  nodes.flatMap(({ name, drain }) => (drain && isHeldUp(drain) ? [`${name} ${drainSentence(drain)}`] : []));

const waiting = ({ waitingPods: [first, ...others] }: RollCall): readonly string[] =>
  first
    ? [
        `pod ${first.name} waits for a node${others.length === 0 ? '' : `, as ${others.length} more do`}: ${first.reason}`,
      ]
    : [];

/** Nobody wants pods of it gone. */
const isUntouched = ({ evictions, drain }: NodeLine): boolean => evictions.length === 0 && !drain;

/** Sentences without a time, most important first. */
export const situation = (view: RollCall, config: Monitoring): readonly string[] => {
  const { nodes, now } = view;
  const down = nodes.filter(isDown).length;
  const unheard = nodes.filter(({ ready }) => ready === '-').length;
  const late = nodes.filter((node) => isLate(node, now, config)).length;
  if (nodes.length === 0) return ['no node has registered yet'];
  const isQuiet = down + unheard + late === 0 && nodes.every(isUntouched);
  return [
    ...quiet(view),
    ...stoppedZones(view.zones),
    ...(unheard > 0
      ? [`${unheard} of ${nodes.length} nodes ${verb(unheard, 'has', 'have')} not reported Ready yet`]
      : []),
    ...(down > 0
      ? [
          `${down} of ${nodes.length} nodes ${verb(down, 'does not answer or is', 'do not answer or are')} not ready`,
        ]
      : []),
    ...heldPods(view),
    ...heldDrains(nodes),
    ...waiting(view),
    ...(isQuiet ? ['nothing is due: every node answers'] : []),
  ];
};
