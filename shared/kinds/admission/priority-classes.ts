/** The built-in PriorityClasses, and the class that a new pod gets its priority from. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import { SYSTEM_PRIORITIES } from '../../kube/types/well-known.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import { classNameOf, globalDefaultOf } from '../../rules/pod-admission/pod-priority.ts';
import { rowsIn } from '../../store/lists/row-pages.ts';
import type { CreateDeps } from '../contract/create-deps.ts';

/** Plural name of the resource. */
export const PRIORITY_CLASSES = 'priorityclasses';

const DESCRIPTIONS: Readonly<Record<string, string>> = {
  'system-cluster-critical':
    'Used for system critical pods that must run in the cluster, but can be moved to another node if necessary.',
  'system-node-critical': 'Used for system critical pods that must not be moved from their current node.',
};

/** The store key of the class of this name. */
export const classKey = (name: string): ObjectKey => ({ resource: PRIORITY_CLASSES, namespace: '', name });

/** The built-in class of this name and value, without uid and creation time. */
export const systemClass = (name: string, value: number): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description: DESCRIPTIONS[name] ?? '',
  preemptionPolicy: 'PreemptLowerPriority',
});

/**
 * The default PriorityClass; `undefined` without one. Reads pages of the store instead of a list at one revision,
 * because every new pod pays for it.
 */
export const readDefaultClass = async ({
  objects,
}: Pick<CreateDeps, 'objects'>): Promise<PriorityClass | undefined> => {
  const rows = rowsIn(objects, PRIORITY_CLASSES, '');
  return globalDefaultOf(await Array.fromAsync(rows, ({ object }) => object));
};

const readClass = async (
  name: string,
  { objects }: Pick<CreateDeps, 'objects'>,
): Promise<PriorityClass | undefined> => {
  const value = ownMember(SYSTEM_PRIORITIES, name);
  if (value !== undefined) return systemClass(name, value);
  const row = await objects.read(classKey(name));
  return row?.state === 'live' ? row.object : undefined;
};

/** The class from which a new pod gets its priority: one read of the class that it names, else the default class. */
export const readClassOf = async (
  pod: Pod,
  deps: Pick<CreateDeps, 'objects'>,
): Promise<PriorityClass | undefined> => {
  const name = classNameOf(pod);
  return name === '' ? readDefaultClass(deps) : readClass(name, deps);
};
