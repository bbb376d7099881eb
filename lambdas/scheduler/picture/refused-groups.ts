/** Pods that no change has helped yet, in groups that a change helps together. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { Refused } from '../../../shared/rules/scheduling/could-help.ts';

/** Pods that are alike and were refused by the same plugins: what helps one of them helps all. */
interface Group {
  readonly refused: Refused;
  readonly uids: Set<string>;
}

/** All that an attempt reads of a pod, as text. Pods of one template have equal texts. */
export const signatureOf = ({ metadata, spec, status }: Pod): string =>
  JSON.stringify([
    metadata.namespace,
    metadata.labels,
    metadata.ownerReferences?.map(({ kind, name }) => [kind, name]),
    spec,
    status?.['nominatedNodeName'],
  ]);

const uidOf = ({ metadata }: Pod): string => metadata.uid ?? '';

/** The groups of pods that no change has helped yet. */
export const createRefusedGroups = () => {
  const groups = new Map<string, Group>();
  let size = 0;
  return {
    /** Number of pods in all groups. */
    size: (): number => size,
    all: (): Iterable<Group> => groups.values(),
    add: (pod: Pod, plugins: ReadonlySet<string>): string => {
      const key = JSON.stringify([[...plugins].toSorted(), signatureOf(pod)]);
      const group = groups.get(key) ?? { refused: { pod, plugins }, uids: new Set() };
      size += group.uids.has(uidOf(pod)) ? 0 : 1;
      group.uids.add(uidOf(pod));
      groups.set(key, group);
      return key;
    },
    leave: (key: string, uid: string): void => {
      const group = groups.get(key);
      if (group?.uids.delete(uid)) size -= 1;
      if (group?.uids.size === 0) groups.delete(key);
    },
  };
};
