/** The objects of the last complete answer about the node's work that its pods refer to. */
import type { Pod } from '../../shared/api/core.ts';
import type { ApiObject } from '../../shared/api/meta.ts';
import type { PersistentVolume, PersistentVolumeClaim } from '../../shared/api/storage.ts';
import { type AgentPod, isTerminalPhase } from '../domain/pods/agent-pod.ts';
import { claimNameOf } from '../domain/volumes/claim.ts';
import { volumesOf } from '../domain/volumes/volume.ts';
import type { NodeWork, ReferredObject, RuntimeClassObject } from '../domain/work/node-work.ts';
import type { PodObjects } from '../ports/pod-objects.ts';

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
