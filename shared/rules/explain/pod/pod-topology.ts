/** Why did the topology manager of its node refuse the pod, and what would it have taken? */
import type { Pod } from '../../../kube/types/core.ts';
import {
  readTopologyNote,
  TOPOLOGY_CONDITION,
  type ToldHint,
  type ToldResource,
  type TopologyNote,
} from '../../pods/topology-note.ts';
import type { Answer, Fact, FactName } from '../explanation.ts';

const hintText = ({ nodes, isPreferred }: ToldHint): string => {
  const where = nodes === undefined ? 'any NUMA node' : `NUMA ${nodes}`;
  return isPreferred ? `${where} (preferred)` : where;
};

const wishText = ({ hints, more = 0 }: ToldResource): string => {
  if (!hints) return 'anywhere';
  if (hints.length === 0) return 'nowhere';
  return `${hints.map(hintText).join(', ')}${more > 0 ? `, and ${more} more` : ''}`;
};

const fact = (name: FactName, values: Readonly<Record<string, string>>): Fact => ({
  fact: name,
  values,
  source: `condition ${TOPOLOGY_CONDITION}`,
  rule: 'J-196',
});

const factsOf = ({ container, policy, resources, merged, bestEffort }: TopologyNote): readonly Fact[] => [
  fact('TopologyPolicy', { policy, container: container ?? '' }),
  ...resources.map((one) => fact('TopologyWish', { resource: one.resource, wish: wishText(one) })),
  fact('TopologyMerged', { merged: merged.nodes === undefined ? '' : hintText(merged) }),
  fact('TopologyWanted', { policy }),
  fact('TopologyElse', { hint: hintText({ ...bestEffort, isPreferred: false }) }),
];

/** `undefined`: it was not refused for this, or its node does not say why. */
export const explainTopology = ({ status }: Pick<Pod, 'status'>): Answer | undefined => {
  const found = status?.conditions?.find(({ type }) => type === TOPOLOGY_CONDITION);
  const note = found?.status === 'False' ? readTopologyNote(found.message ?? '') : undefined;
  return (
    note && { question: 'topology', verdict: 'RefusedByTopology', because: factsOf(note), wouldChange: [] }
  );
};
