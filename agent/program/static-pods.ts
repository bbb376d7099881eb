/** Static pods of this node, and the API's copies of them. */
import { resolve } from 'node:path';
import type { AgentSettings } from '../config/agent-settings.ts';
import { createMirrorPods, type MirrorPods } from '../pods/mirror-pods.ts';
import { watchStaticFolder } from '../pods/static-folder.ts';
import type { MirrorApi } from '../ports/api/mirror-api.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';
import { createWaker } from '../waker.ts';

export interface StaticPodsDeps {
  readonly settings: AgentSettings;
  readonly mirrors: MirrorApi;
  readonly clock: Clock;
  readonly log: Log;
  knownNode(): Promise<ReportedNode>;
  seenNode(): ReportedNode | undefined;
  /** Whether a pod of this name runs here, or is being ended. */
  isHere(namespace: string, name: string): boolean;
  /** Takes all static pods. */
  onPods(pods: readonly AgentPod[]): void;
}

export interface StaticPods extends Pick<MirrorPods, 'mirrorOf'> {
  /** Reads manifests and keeps copies until `signal` aborts. */
  run(signal: AbortSignal): Promise<void>;
}

const MIRROR_PERIOD_MS = 20_000;

const syncOnce = async (
  mirrors: MirrorPods,
  pods: readonly AgentPod[],
  deps: StaticPodsDeps,
): Promise<void> => {
  try {
    await deps.knownNode();
    await mirrors.sync(pods);
  } catch (error) {
    deps.log('the mirror pods could not be brought up to date', error);
  }
};

export const createStaticPods = (deps: StaticPodsDeps): StaticPods => {
  const { settings, clock, log, isHere } = deps;
  const { staticPodPath, fileCheckFrequency } = settings.config;
  const { nodeName } = settings;
  const nodeUid = (): string | undefined => deps.seenNode()?.metadata.uid;
  const mirrors = createMirrorPods({ api: deps.mirrors, nodeName, nodeUid, isHere, log });
  const waker = createWaker(clock);
  let pods: readonly AgentPod[] = [];
  const onPods = (next: readonly AgentPod[]): void => {
    pods = next;
    deps.onPods(next);
    waker.wake();
  };
  const watchMirrors = async (signal: AbortSignal): Promise<void> => {
    signal.addEventListener('abort', waker.wake, { once: true });
    while (!signal.aborted) {
      await waker.wait(MIRROR_PERIOD_MS);
      if (!signal.aborted) await syncOnce(mirrors, pods, deps);
    }
  };
  return {
    mirrorOf: mirrors.mirrorOf,
    run: async (signal) => {
      if (staticPodPath === '') {
        // An agent before may have had some.
        onPods([]);
        return syncOnce(mirrors, [], deps);
      }
      const everyMs = Number(fileCheckFrequency) / 1e6;
      const watched = { folder: resolve(staticPodPath), nodeName, everyMs, clock, log, onPods };
      await Promise.all([watchStaticFolder(watched, signal), watchMirrors(signal)]);
    },
  };
};
