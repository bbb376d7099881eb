/** The ConfigMaps and Secrets of the last complete answer about the node's work. */
import type { Pod } from '../../shared/api/core.ts';
import { type AgentPod, isTerminalPhase } from '../domain/pods/agent-pod.ts';
import { volumesOf } from '../domain/volumes/volume.ts';
import type { NodeWork, ReferredObject } from '../domain/work/node-work.ts';
import type { PodObjects } from '../ports/pod-objects.ts';

type ByName = ReadonlyMap<string, ReferredObject>;

const byName = (objects: readonly ReferredObject[]): ByName =>
  new Map(objects.map((object) => [`${object.metadata.namespace ?? ''}/${object.metadata.name}`, object]));

const followsObjects = (pod: Pod): boolean =>
  !isTerminalPhase(pod.status?.phase) &&
  volumesOf(pod as AgentPod).some(({ configMap, secret, projected }) => configMap ?? secret ?? projected);

export interface WorkObjects extends PodObjects {
  replace(work: Pick<NodeWork, 'configMaps' | 'secrets' | 'pods'>): void;
  /** Whether a pod has a volume whose files follow them, or wait for them. */
  areFollowed(): boolean;
}

export const createWorkObjects = (): WorkObjects => {
  let configMaps: ByName = new Map();
  let secrets: ByName = new Map();
  let isFollowed = false;
  return {
    configMap: (namespace, name) => configMaps.get(`${namespace}/${name}`),
    secret: (namespace, name) => secrets.get(`${namespace}/${name}`),
    replace: (work) => {
      configMaps = byName(work.configMaps);
      secrets = byName(work.secrets);
      isFollowed = work.pods.some(followsObjects);
    },
    areFollowed: () => isFollowed,
  };
};
