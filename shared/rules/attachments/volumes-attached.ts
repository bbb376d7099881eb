/** The list `status.volumesAttached` of a Node, which tells the kubelet what it may mount. */
import type { Node } from '../../kube/types/core.ts';

interface AttachedEntry {
  readonly name: string;
}

/** The names in the list. */
export const volumesAttachedOf = ({ status }: Node): readonly string[] =>
  ((status?.['volumesAttached'] ?? []) as readonly AttachedEntry[]).map(({ name }) => name);

/** The node with these names in its list, in their order by name; the same node if it has just these. */
export const withVolumesAttached = (node: Node, names: Iterable<string>): Node => {
  const sorted = [...new Set(names)].toSorted();
  const present = new Set(volumesAttachedOf(node));
  if (present.size === sorted.length && sorted.every((name) => present.has(name))) return node;
  const { volumesAttached: _before, ...status } = node.status ?? {};
  const volumesAttached = sorted.map((name) => ({ name, devicePath: '' }));
  return { ...node, status: sorted.length === 0 ? status : { ...status, volumesAttached } };
};
