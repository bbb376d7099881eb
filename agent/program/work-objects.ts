/** The objects of the last complete answer about the node's work that its pods refer to. */
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/kube/types/storage.ts';
import type { PodObjects } from '../ports/api/pod-objects.ts';
import { type AgentPod, isTerminalPhase } from '../rules/containers/agent-pod.ts';
import type { NodeWork, ReferredObject, RuntimeClassObject } from '../rules/registration/node-work.ts';
import { claimNameOf } from '../rules/volumes/claim.ts';
import { volumesOf } from '../rules/volumes/volume.ts';

const byName = <T extends ApiObject>(objects: readonly T[]): ReadonlyMap<string, T> =>
  new Map(objects.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]));

const followsObjects = (pod: Pod): boolean =>
  !isTerminalPhase(pod.status?.phase) &&
  volumesOf(pod as AgentPod).some(
    (volume) => volume.configMap ?? volume.secret ?? volume.projected ?? claimNameOf(pod as AgentPod, volume),
  );

export interface WorkObjects extends PodObjects {
  replace(work: Omit<NodeWork, 'revision' | 'node'>): void;
  /** Whether a pod has a volume that follows them, or waits for them. */
  areFollowed(): boolean;
}

export const createWorkObjects = (): WorkObjects => {
  let configMaps = byName<ReferredObject>([]);
  let secrets = byName<ReferredObject>([]);
  let claims = byName<PersistentVolumeClaim>([]);
  let volumes = byName<PersistentVolume>([]);
  let classes = byName<RuntimeClassObject>([]);
  let isFollowed = false;
  return {
    configMap: (namespace, name) => configMaps.get(`${namespace}/${name}`),
    secret: (namespace, name) => secrets.get(`${namespace}/${name}`),
    claim: (namespace, name) => claims.get(`${namespace}/${name}`),
    volume: (name) => volumes.get(`/${name}`),
    runtimeClass: (name) => classes.get(`/${name}`),
    replace: (work) => {
      configMaps = byName(work.configMaps);
      secrets = byName(work.secrets);
      claims = byName(work.persistentVolumeClaims);
      volumes = byName(work.persistentVolumes);
      classes = byName(work.runtimeClasses);
      isFollowed = work.pods.some(followsObjects);
    },
    areFollowed: () => isFollowed,
  };
};
