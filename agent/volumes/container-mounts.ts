/** What a container sees of its pod's volumes. Source: kubernetes v1.34 pkg/kubelet `makeMounts`. */

import type { Mount } from '../ports/machine/runtime.ts';
import type { Mounts } from '../ports/pods/pod-volumes.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { Container } from '../rules/containers/container.ts';
import { expanded } from '../rules/containers/environment/expansion.ts';
import { projectionsOf, type Volume, type VolumeMount, volumesOf } from '../rules/volumes/volume.ts';
import { safeSubPath } from './sub-path.ts';

type Where = (pod: AgentPod, volume: Volume) => string;

const REFERENCE = /\$\(([^)]*)\)/g;

/** A reference to a variable that is not there would name another folder. */
const subPathOf = (
  { subPath = '', subPathExpr = '' }: VolumeMount,
  variables: ReadonlyMap<string, string>,
): string => {
  if (subPathExpr === '') return subPath;
  const missing = [...subPathExpr.matchAll(REFERENCE)].find(([, name = '']) => !variables.has(name));
  if (missing) throw new Error(`missing value for "${missing[1] ?? ''}"`);
  return expanded(subPathExpr, (name) => variables.get(name));
};

const sourceOf = async (
  folder: string,
  mount: VolumeMount,
  container: Container,
  variables: ReadonlyMap<string, string>,
): Promise<Pick<Mount, 'source' | 'identity'>> => {
  try {
    const subPath = subPathOf(mount, variables);
    if (subPath === '') return { source: folder };
    const { path, identity } = await safeSubPath(folder, subPath);
    return { source: path, identity };
  } catch {
    // The path of the machine in the text of the fault is nobody's business.
    throw new Error(
      `failed to prepare subPath for volumeMount "${mount.name}" of container "${container.name}"`,
    );
  }
};

/** Source: kubernetes v1.34 `translateMountPropagation`. */
const propagationOf = ({ mountPropagation }: VolumeMount): Pick<Mount, 'propagation'> =>
  mountPropagation === 'HostToContainer' || mountPropagation === 'Bidirectional'
    ? { propagation: mountPropagation }
    : {};

const absolute = (path: string): string => (path.startsWith('/') ? path : `/${path}`);

/** The mounts in their order. Files that the agent writes cannot be changed in the container. */
export const containerMounts = async (
  where: Where,
  pod: AgentPod,
  container: Container,
  variables: ReadonlyMap<string, string>,
): Promise<Mounts> => {
  const volumes = new Map(volumesOf(pod).map((volume) => [volume.name, volume]));
  const mounts: Mount[] = [];
  for (const mount of (container['volumeMounts'] ?? []) as readonly VolumeMount[]) {
    const volume = volumes.get(mount.name);
    if (!volume)
      return { fault: `cannot find volume "${mount.name}" to mount into container "${container.name}"` };
    try {
      const source = await sourceOf(where(pod, volume), mount, container, variables);
      const isReadOnly =
        mount.readOnly === true || volume.isReadOnly === true || projectionsOf(volume) !== undefined;
      mounts.push({ ...source, target: absolute(mount.mountPath), isReadOnly, ...propagationOf(mount) });
    } catch (error) {
      return { fault: error instanceof Error ? error.message : String(error) };
    }
  }
  return { mounts };
};
