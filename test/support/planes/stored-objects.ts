/** Writes and reads of single objects, as a client does them. */

import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { liveRow, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import type { ControlPlane } from '../../../simulation/plane/control-plane-types.ts';

const PLURALS: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'poddisruptionbudgets',
  CSIDriver: 'csidrivers',
  Node: 'nodes',
  PersistentVolume: 'persistentvolumes',
  PersistentVolumeClaim: 'persistentvolumeclaims',
  Pod: 'pods',
  StorageClass: 'storageclasses',
  VolumeAttachment: 'volumeattachments',
};

/** Throws for a kind that no test has stored yet. */
export const keyOf = ({ kind, metadata: { namespace = '', name } }: ApiObject): ObjectKey => {
  const resource = PLURALS[kind];
  if (resource === undefined) throw new Error(`no plural for ${kind}`);
  return { resource, namespace, name };
};

/** Creates or replaces the objects, one after the other. */
export const put = async (
  { writer }: Pick<ControlPlane, 'writer'>,
  ...objects: readonly ApiObject[]
): Promise<void> => {
  for (const next of objects) await writer.write(keyOf(next), () => ({ next, writer: 'client' }));
};

/** Deletes the object with this name. */
export const remove = async ({ writer }: Pick<ControlPlane, 'writer'>, object: ApiObject): Promise<void> => {
  await writer.write(keyOf(object), () => ({ next: 'delete', writer: 'client' }));
};

/** The stored object with the name of this one; `undefined`: there is none. */
export const read = async <T extends ApiObject>(
  { state }: Pick<ControlPlane, 'state'>,
  object: T,
): Promise<T | undefined> => liveRow(await state.objects.read(keyOf(object)))?.object as T | undefined;

/** All objects of a resource. */
export const all = async <T extends ApiObject>(
  { state }: Pick<ControlPlane, 'state'>,
  resource: string,
): Promise<readonly T[]> =>
  (await state.objects.page({ resource, namespace: '' })).rows.map(({ object }) => object as T);
