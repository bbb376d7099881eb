/** Which nodes a sweep looks at, in which order. */
import { byText } from '../../shared/kube/text/compare-text.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { CapacityStore } from '../../shared/ports/store/capacity.ts';
import type { CapacitySweep, CapacitySweepStore } from '../../shared/ports/store/capacity-sweep.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';

const PART_NODES = 50;
const PART_PODS = 500;

export interface PartsDeps {
  readonly objects: Pick<ObjectStore, 'page' | 'nodeHealth'>;
  readonly capacity: Pick<CapacityStore, 'counters'>;
  readonly capacitySweep: Pick<CapacitySweepStore, 'allCounters'>;
}

/** Some nodes, and where to go on; `undefined`: they are the last. */
export interface Part {
  readonly nodes: readonly string[];
  readonly position: string | undefined;
}

/** A position is a phase and the last name in it: first all nodes, by name, then, until a sweep has ended, all pods. */
const NODES = 'nodes/';
const PODS = 'pods/';

/** The names of all Nodes, and of all others that have counters. */
const nodeNames = async ({ objects, capacitySweep }: PartsDeps): Promise<readonly string[]> => {
  const names = new Set<string>();
  for await (const { value } of objects.nodeHealth()) for (const { name } of value) names.add(name);
  let after: string | undefined;
  do {
    const { nodes, next } = await capacitySweep.allCounters(after);
    for (const { node } of nodes) names.add(node);
    after = next;
  } while (after !== undefined);
  return [...names].toSorted(byText);
};

/** Pods may be older than the claims and name a node that has neither a Node nor counters. */
const podsPart = async (deps: PartsDeps, after: string): Promise<Part> => {
  const query = { resource: 'pods', namespace: '', limit: PART_PODS };
  const { rows, next } = await deps.objects.page({ ...query, ...(after === '' ? {} : { after }) });
  const named = new Set(rows.map(({ object }) => (object as Pod).spec.nodeName ?? ''));
  named.delete('');
  const nodes: string[] = [];
  for (const name of named) if ((await deps.capacity.counters(name)) === undefined) nodes.push(name);
  return { nodes, position: next === undefined ? undefined : `${PODS}${next}` };
};

/** The place of the first of the sorted names that is after `after`. */
const placeAfter = (names: readonly string[], after: string): number => {
  let [low, high] = [0, names.length];
  while (low < high) {
    const middle = Math.floor((low + high) / 2);
    if ((names[middle] ?? '') > after) high = middle;
    else low = middle + 1;
  }
  return low;
};

const nodesPart = (names: readonly string[], { position = '', isReconciled }: CapacitySweep): Part => {
  const from = placeAfter(names, position.slice(NODES.length));
  const nodes = names.slice(from, from + PART_NODES);
  const last = nodes.at(-1);
  if (from + PART_NODES < names.length) return { nodes, position: `${NODES}${last}` };
  return { nodes, position: isReconciled ? undefined : PODS };
};

/** Returns a function that finds the next nodes of a sweep. It reads the names of all nodes once: use it for one turn. */
export const createParts = (deps: PartsDeps): ((sweep: CapacitySweep) => Promise<Part>) => {
  let names: Promise<readonly string[]> | undefined;
  return async (sweep) => {
    if (sweep.position?.startsWith(PODS)) return podsPart(deps, sweep.position.slice(PODS.length));
    names ??= nodeNames(deps);
    return nodesPart(await names, sweep);
  };
};
