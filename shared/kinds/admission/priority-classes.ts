/** Reads PriorityClasses for admission of pods and for their own endpoints. */

import type { Handle } from '../../apiserver/contract/call.ts';
import type { ApiServerDeps } from '../../apiserver/contract/deps.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import { SYSTEM_PRIORITIES } from '../../kube/types/well-known.ts';
import { toTime } from '../../kube/values/time.ts';
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

const keyOf = (name: string) => ({ resource: PRIORITY_CLASSES, namespace: '', name });

const systemClass = (name: string, value: number): PriorityClass => ({
  apiVersion: 'scheduling.k8s.io/v1',
  kind: 'PriorityClass',
  metadata: { name },
  value,
  description: DESCRIPTIONS[name] ?? '',
  preemptionPolicy: 'PreemptLowerPriority',
});

const storeSystemClass = async (name: string, value: number, deps: ApiServerDeps): Promise<void> => {
  if ((await deps.objects.read(keyOf(name)))?.state === 'live') return;
  const uid = deps.ids.uuid();
  await deps.writer.write(keyOf(name), (row, now) => {
    if (row?.state === 'live') return undefined;
    const metadata = { name, uid, creationTimestamp: toTime(now), generation: 1 };
    return { next: { ...systemClass(name, value), metadata }, writer: 'controller' };
  });
};

/** Stores that are known to hold the built-in classes. */
const complete = new WeakSet<object>();

/**
 * Wraps a verb of PriorityClasses: the first request of a process stores the two built-in classes if they are
 * missing.
 */
export const withSystemClasses =
  (handle: Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) => {
    if (!complete.has(deps.objects)) {
      const classes = Object.entries(SYSTEM_PRIORITIES);
      await Promise.all(classes.map(([name, value]) => storeSystemClass(name, value, deps)));
      complete.add(deps.objects);
    }
    return handle(call, deps);
  };

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
  const row = await objects.read(keyOf(name));
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
