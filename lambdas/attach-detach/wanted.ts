/** Reads what the pods of a node want there. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { CSIDriver, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import { claimKey, liveRow, type ObjectKey } from '../../shared/ports/store/rows.ts';
import {
  boundVolumeOf,
  claimPathsOf,
  type Wanted,
  wantedVolumes,
  wantsVolumes,
} from '../../shared/rules/attachments/wanted-volumes.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import type { AttachDetachDeps } from './deps.ts';
import type { KnownAttachments } from './known-attachments.ts';

const CONCURRENCY = 32;

const NOTHING: Wanted = { volumes: new Map(), unbound: new Set() };

/** The claims of the capacity say consistently which pods are bound to the node. */
const podsOf = async ({ objects, capacity }: AttachDetachDeps, nodeName: string): Promise<readonly Pod[]> => {
  const claims = (await capacity.allClaims(nodeName)).filter(({ ended }) => !ended);
  const rows = await inParallel(claims, CONCURRENCY, async ({ namespace, name, uid }) => {
    const row = liveRow(await objects.read({ resource: 'pods', namespace, name }));
    return row?.uid === uid ? (row.object as Pod) : undefined;
  });
  const pods = rows.filter((pod) => pod !== undefined);
  return pods
    .filter((pod) => pod.spec.nodeName === nodeName && wantsVolumes(pod))
    .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
};

const readAll = async (
  { objects }: AttachDetachDeps,
  paths: Iterable<string>,
  keyOf: (path: string) => ObjectKey,
): Promise<ReadonlyMap<string, ApiObject>> => {
  const rows = await inParallel([...new Set(paths)], CONCURRENCY, async (path) => {
    const row = liveRow(await objects.read(keyOf(path)));
    return row ? ([[path, row.object]] as const) : [];
  });
  return new Map(rows.flat());
};

const keyAt = (path: string): ObjectKey => {
  const [namespace, name] = path.split('/');
  return claimKey(namespace, name);
};

const driverKey = (name: string): ObjectKey => ({ resource: 'csidrivers', namespace: '', name });

/** What the pods want that are bound to the node right now. */
export const readWanted = async (
  deps: AttachDetachDeps,
  known: KnownAttachments,
  nodeName: string,
): Promise<Wanted> => {
  const pods = await podsOf(deps, nodeName);
  if (pods.length === 0) return NOTHING;
  const claims: ReadonlyMap<string, PersistentVolumeClaim> = await readAll(
    deps,
    pods.flatMap(claimPathsOf),
    keyAt,
  );
  const volumes = [...claims.values()].flatMap((claim) => known.volume(boundVolumeOf(claim)) ?? []);
  const drivers: ReadonlyMap<string, CSIDriver> = await readAll(
    deps,
    volumes.map(({ driver }) => driver),
    driverKey,
  );
  return wantedVolumes(pods, {
    claim: (path) => claims.get(path),
    volume: known.volume,
    driver: (name) => drivers.get(name),
  });
};
