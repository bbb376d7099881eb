/** What happened to the objects of a world that was explained. */
import type { Node, Pod } from '../../../../shared/kube/types/core.ts';
import { type LiveRow, liveRow } from '../../../../shared/ports/store/rows.ts';
import { DRAIN_ANNOTATION } from '../../../../shared/rules/drain/drain-annotations.ts';
import { drainRequestOf } from '../../../../shared/rules/drain/node-drain.ts';
import type { Change } from '../../../../shared/rules/explain/explanation.ts';
import type { ExplainedDay } from './explain-world.ts';

/** Something that happened to an object, by name. */
export interface Happening {
  readonly at: number;
  readonly change: Change;
  readonly name: string;
}

const nodeIn = (row: LiveRow | undefined): Node | undefined => row?.object;

const drainOf = (row: LiveRow | undefined): string =>
  `${nodeIn(row)?.spec?.unschedulable} ${nodeIn(row)?.metadata.annotations?.[DRAIN_ANNOTATION]}`;

const inUseOf = (row: LiveRow | undefined): string =>
  JSON.stringify(nodeIn(row)?.status?.['volumesInUse'] ?? []);

const nodeChanges = (
  at: number,
  before: LiveRow | undefined,
  after: LiveRow | undefined,
): readonly Happening[] => {
  const [was, is] = [before?.facts.node, after?.facts.node];
  const name = (after ?? before)?.key.name ?? '';
  const happened = (change: Change, isSo: boolean): readonly Happening[] =>
    isSo ? [{ at, change, name }] : [];
  return [
    ...happened('ReadyCondition', was?.ready !== is?.ready),
    ...happened('Taints', JSON.stringify(was?.noExecute) !== JSON.stringify(is?.noExecute)),
    ...happened('Cordon', drainOf(before) !== drainOf(after)),
    ...happened('Unmount', inUseOf(before) !== inUseOf(after)),
    ...happened('NodeDeleted', after === undefined),
    ...happened('NodeComesBack', before === undefined),
  ];
};

const nodeOfPod = (row: LiveRow | undefined): string => (row?.object as Pod | undefined)?.spec.nodeName ?? '';

/** What counts for budgets and volumes. */
const partsOf = (row: LiveRow | undefined): string => {
  const { metadata, status } = (row?.object ?? { metadata: {} }) as Pod;
  const ready = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return [row?.uid, metadata.deletionTimestamp !== undefined, status?.phase, ready].join();
};

/** `isDrained`: whether the pod's node is being drained. */
const podChanges = (
  at: number,
  before: LiveRow | undefined,
  after: LiveRow | undefined,
  isDrained: boolean,
): readonly Happening[] => {
  const isEvicted = ({ object }: LiveRow): boolean =>
    (object as Pod).status?.conditions?.some(({ reason }) => reason === 'DeletionByTaintManager') ?? false;
  const name = (after ?? before)?.key.name ?? '';
  const wasLeft = before && before.object.metadata.deletionTimestamp === undefined;
  const isLeft = after && after.object.metadata.deletionTimestamp === undefined;
  const goes = wasLeft && !isLeft;
  const node = nodeOfPod(after ?? before);
  const isChanged = partsOf(before) !== partsOf(after);
  const isEviction = goes && (after === undefined || isEvicted(after) || isDrained);
  return [
    ...(isEviction ? [{ at, change: 'Eviction' as const, name }] : []),
    ...(goes && isDrained ? [{ at, change: 'ApiEviction' as const, name }] : []),
    ...(isChanged ? [{ at, change: 'PodChanges' as const, name }] : []),
    ...(isChanged ? OF_NODE.map((change) => ({ at, change, name: node })) : []),
  ];
};

/** Changes of the pods of a node. */
export const OF_NODE = ['PodsOfNode', 'PodsGo'] as const;

/** Of attachments and budgets: which ones is not told apart. */
const otherChanges = (at: number, resource: string | undefined): readonly Happening[] => {
  if (resource === 'poddisruptionbudgets') return [{ at, change: 'BudgetStatus', name: ANY }];
  const changes = ['AttacherActs', 'OtherPods'] as const;
  return resource === 'volumeattachments' ? changes.map((change) => ({ at, change, name: ANY })) : [];
};

const ANY = '*';

/** What happened in a world, in order of its commits. */
export const happeningsOf = ({ day, deeds }: ExplainedDay): readonly Happening[] => {
  const draining = new Set<string>();
  const commits = day.plane.commits.flatMap(({ at, change: { before, after } }) => {
    const [was, is] = [liveRow(before), liveRow(after)];
    const row = is ?? was;
    const resource = row?.key.resource;
    if (resource === 'nodes') {
      if (is && drainRequestOf(is.object)) draining.add(is.key.name);
      else draining.delete(row?.key.name ?? '');
      return nodeChanges(at, was, is);
    }
    if (resource !== 'pods') return otherChanges(at, resource);
    return podChanges(at, was, is, draining.has(nodeOfPod(row)));
  });
  return [...deeds, ...commits];
};

/** A name of a node: its zone and a number. */
export const zoneOf = (name: string): string => name.slice(0, 1);

/** Whether `happening` is the change for the pod or node `name` on `node`. */
export const concerns = (happening: Happening, change: Change, name: string, node: string): boolean => {
  const isAhead = happening.change === 'ReadyCondition' || happening.change === 'NodeDeleted';
  // Any node that flips may change the state of a zone, and of all zones together.
  if (change === 'ZoneState') return isAhead || happening.change === 'NodeComesBack';
  if (change === 'NodesAhead')
    return isAhead && happening.name !== node && zoneOf(happening.name) === zoneOf(node);
  return happening.change === change && [ANY, name, node].includes(happening.name);
};
