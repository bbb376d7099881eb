/** Which hint won, and why it was not good enough, for people. */
import { cpuSetText } from '../config/cpu-set.ts';
import type { TopologyDecision } from './admit-pod.ts';
import type { TopologyHint } from './hint.ts';
import { nodesOf } from './numa-mask.ts';

/** How many hints of a resource are told. */
const MOST_HINTS = 4;

const hintText = ({ affinity, isPreferred }: TopologyHint): string => {
  const nodes = affinity === undefined ? 'any NUMA node' : `NUMA ${cpuSetText(nodesOf(affinity))}`;
  return isPreferred ? `${nodes} (preferred)` : nodes;
};

const listText = (hints: readonly TopologyHint[] | undefined): string => {
  if (!hints) return 'anywhere';
  if (hints.length === 0) return 'nowhere';
  const rest = hints.length > MOST_HINTS ? `, and ${hints.length - MOST_HINTS} more` : '';
  return `${hints.slice(0, MOST_HINTS).map(hintText).join(', ')}${rest}`;
};

const askedText = ({ asked }: TopologyDecision): string =>
  asked
    .flatMap((resources) => Object.entries(resources ?? {}))
    .map(([resource, hints]) => `${resource} fits ${listText(hints)}`)
    .join('; ');

const decisionText = (decision: TopologyDecision): string => {
  const who = decision.container === undefined ? 'the pod' : `container ${decision.container}`;
  return `${who}: best hint ${hintText(decision.hint)}; ${askedText(decision)}`;
};

/** Of the container that was not admitted, or of the pod as a whole. Empty if none was refused. */
export const toldDecisions = (decisions: readonly TopologyDecision[]): string =>
  decisions
    .filter(({ isAdmitted }) => !isAdmitted)
    .map(decisionText)
    .join('. ');
