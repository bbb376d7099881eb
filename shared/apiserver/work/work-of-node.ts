/** What a node has to run and to end: its pods, and the objects that they refer to. */
import type { Pod } from '../../api/core.ts';
import { isMirrorPod } from '../../domain/pods/mirror-pod.ts';
import { isTerminated } from '../../domain/pods/terminated-pods.ts';
import type { CapacityStore } from '../../ports/capacity.ts';
import type { ObjectStore } from '../../ports/object-store.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../ports/rows.ts';
import { inParallel } from '../../state/in-parallel.ts';
import { type PodReferences, referencesOf } from '../access/pod-references.ts';
import type { ApiServerDeps } from '../deps.ts';
import { bearDefault } from '../namespaces/default-objects.ts';

/** Reads of single objects at the same time. */
const CONCURRENCY = 16;

/** What is read for it. */
export interface WorkReads {
  readonly objects: Pick<ObjectStore, 'read'>;
  readonly capacity: Pick<CapacityStore, 'allClaims'>;
}

const pathOf = ({ namespace, name }: ObjectKey): string => `${namespace}/${name}`;

const byPath = (a: LiveRow, b: LiveRow): number => (pathOf(a.key) < pathOf(b.key) ? -1 : 1);

const podOf = ({ object }: LiveRow): Pod => object as Pod;

/**
 * The pods that are bound to the node, sorted by namespace and name, without mirror pods: those the machine made itself. Claims list
 * them consistently, an index would lag. A claim may outlast its pod.
 */
export const podsOfNode = async (
  { objects, capacity }: WorkReads,
  node: string,
): Promise<readonly LiveRow[]> => {
  const claims = await capacity.allClaims(node);
  const rows = await inParallel(claims, CONCURRENCY, async ({ uid, namespace, name }) => {
    const row = liveRow(await objects.read({ resource: 'pods', namespace, name }));
    return row?.uid === uid ? row : undefined;
  });
  return rows
    .filter((row) => row !== undefined)
    .filter((row) => podOf(row).spec.nodeName === node && !isMirrorPod(podOf(row)))
    .toSorted(byPath);
};

/** The objects of each namespace, such as `kube-root-ca.crt`, may not be stored before somebody asks for them. */
const readReferred = async (key: ObjectKey, deps: ApiServerDeps): Promise<LiveRow | undefined> => {
  const known = liveRow(await deps.objects.read(key));
  if (known) return known;
  await bearDefault(key, deps);
  return liveRow(await deps.objects.read(key));
};

const readAll = async (
  deps: ApiServerDeps,
  resource: string,
  pods: readonly Pod[],
  namesOf: (references: PodReferences) => ReadonlySet<string>,
): Promise<readonly LiveRow[]> => {
  const keys = new Map<string, ObjectKey>();
  for (const pod of pods)
    for (const name of namesOf(referencesOf(pod))) {
      const key = { resource, namespace: pod.metadata.namespace ?? '', name };
      keys.set(pathOf(key), key);
    }
  const rows = await inParallel([...keys.values()], CONCURRENCY, (key) => readReferred(key, deps));
  return rows.filter((row) => row !== undefined).toSorted(byPath);
};

/** ConfigMaps and Secrets that pods refer to, if they exist. Pods that have ended need none. */
export const referredObjects = async (deps: ApiServerDeps, pods: readonly LiveRow[]) => {
  const going = pods.map(podOf).filter((pod) => !isTerminated(pod));
  return {
    configMaps: await readAll(deps, 'configmaps', going, ({ configMaps }) => configMaps),
    secrets: await readAll(deps, 'secrets', going, ({ secrets }) => secrets),
  };
};
