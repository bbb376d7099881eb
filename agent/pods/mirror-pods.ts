/** Keeps the copies of static pods in the API. Source: kubernetes v1.34 pkg/kubelet `reconcileMirrorPods`, `deleteOrphanedMirrorPods`. */

import type { MirrorApi } from '../ports/api/mirror-api.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import { isMirrorUpToDate, mirrorOf } from '../rules/pods/static-pod.ts';
import { podName } from './worker/worker-state.ts';

export interface MirrorDeps {
  readonly api: MirrorApi;
  readonly nodeName: string;
  /** `undefined`: the Node is not registered yet. */
  readonly nodeUid: () => string | undefined;
  /** Whether a pod of this name runs here, or is being ended. */
  readonly isHere: (namespace: string, name: string) => boolean;
  readonly log: Log;
}

export interface MirrorPods {
  /** The API's copy of the pod, as it was found last. */
  mirrorOf(pod: AgentPod): AgentPod | undefined;
  /** Creates, replaces and deletes copies, so that there is one of each of these static pods. What fails is told; call it again. */
  sync(pods: readonly AgentPod[]): Promise<void>;
}

const remove = async ({ api }: MirrorDeps, { metadata }: AgentPod): Promise<void> =>
  await api.delete(metadata.namespace ?? '', metadata.name, metadata.uid ?? '');

/** The copy, made anew if it is of another manifest. */
const kept = async (
  deps: MirrorDeps,
  pod: AgentPod,
  mirror: AgentPod | undefined,
  uid: string,
): Promise<AgentPod> => {
  if (mirror && isMirrorUpToDate(mirror, pod)) return mirror;
  if (mirror) await remove(deps, mirror);
  return await deps.api.create(mirrorOf(pod, { name: deps.nodeName, uid }));
};

export const createMirrorPods = (deps: MirrorDeps): MirrorPods => {
  const known = new Map<string, AgentPod>();
  const orLogged = async (work: Promise<void>, pod: AgentPod): Promise<void> =>
    await work.catch((error: unknown) => deps.log(`mirror pod ${podName(pod)}`, error));
  /** A pod that is being ended still shows its status. */
  const removeOrphan = async (mirror: AgentPod): Promise<void> => {
    const { namespace = '', name } = mirror.metadata;
    if (deps.isHere(namespace, name)) return;
    await remove(deps, mirror);
    known.delete(podName(mirror));
  };
  return {
    mirrorOf: (pod) => {
      const mirror = known.get(podName(pod));
      return mirror && isMirrorUpToDate(mirror, pod) ? mirror : undefined;
    },
    sync: async (pods) => {
      const uid = deps.nodeUid();
      if (uid === undefined) return;
      const found = new Map((await deps.api.mirrors()).map((one) => [podName(one), one]));
      known.clear();
      for (const [name, mirror] of found) known.set(name, mirror);
      for (const pod of pods)
        await orLogged(
          kept(deps, pod, found.get(podName(pod)), uid).then(
            (mirror) => void known.set(podName(pod), mirror),
          ),
          pod,
        );
      const wanted = new Set(pods.map(podName));
      for (const [name, mirror] of found) if (!wanted.has(name)) await orLogged(removeOrphan(mirror), mirror);
    },
  };
};
