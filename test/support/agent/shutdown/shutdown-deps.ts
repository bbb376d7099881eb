/** What a shutdown needs, in virtual time; what happens is written down as `SECONDS what`. */

import type { PodsOnNode } from '../../../../agent/ports/machine/shutdown.ts';
import { type GraceEntry, requestedSeconds } from '../../../../agent/rules/shutdown/priority-groups.ts';
import { recordText } from '../../../../agent/rules/shutdown/record.ts';
import type { ShutdownDeps } from '../../../../agent/shutdown/process-shutdown.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Pod } from '../../../../shared/kube/types/core.ts';

/** A pod by its name and priority, with the seconds that it takes to end, and its volumes to be unmounted. */
export type EndingPod = readonly [
  name: string,
  priority: number,
  endSeconds: number,
  unmountSeconds?: number,
];

const podOf = ([name, priority]: EndingPod): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'default', uid: name },
  spec: { priority },
  status: { phase: 'Running' },
});

export const shutdownDeps = (
  seconds: readonly (readonly [number, number])[],
  rows: readonly EndingPod[],
  { reserveSeconds = 0, reportSeconds = 0 } = {},
) => {
  const base = createVirtualClock(0);
  const happened: string[] = [];
  const tell = (what: string): void => void happened.push(`${base.now() / 1000} ${what}`);
  const rowOf = ({ metadata }: Pod): EndingPod | undefined => rows.find(([name]) => name === metadata.name);
  const entries: readonly GraceEntry[] = seconds.map(([priority, shutdownGracePeriodSeconds]) => ({
    priority,
    shutdownGracePeriodSeconds,
  }));
  const podList = rows.map(podOf);
  const pods: PodsOnNode = {
    active: () => podList,
    end: async (pod, { graceSeconds }) => {
      tell(`end ${pod.metadata.name} in ${graceSeconds} s`);
      await base.sleep((rowOf(pod)?.[2] ?? 0) * 1000);
      tell(`ended ${pod.metadata.name}`);
    },
    unmounted: async (group, signal) => {
      await base.sleep(1000 * Math.max(...group.map((pod) => rowOf(pod)?.[3] ?? 0)));
      signal.throwIfAborted();
    },
    reported: async (ended) => {
      await base.sleep(1000 * reportSeconds);
      tell(`reported ${ended.map(({ metadata }) => metadata.name).join(', ')}`);
    },
  };
  const deps: ShutdownDeps = {
    clock: { now: base.now, uptime: base.now, sleep: base.sleep },
    entries,
    delaySeconds: requestedSeconds(entries) + reserveSeconds,
    decide: async (ended) => tell(`decided ${ended.map(({ metadata }) => metadata.name).join(', ')}`),
    pods,
    node: {
      event: (reason, message) => tell(`${reason}: ${message}`),
      sync: async () => tell('sync'),
      progressed: (progress) =>
        tell(
          progress
            ? `phase ${progress.phase} of ${progress.phases}, all until ${progress.endsAt / 1000}`
            : 'cancelled',
        ),
    },
    record: {
      load: async () => ({ startedAt: 5, endedAt: 7 }),
      store: async (record) => tell(recordText(record)),
    },
    gauges: { startedAt: (at) => tell(`started at ${at}`), endedAt: (at) => tell(`ended at ${at}`) },
    log: (message) => tell(message),
  };
  return { clock: base, deps, happened };
};
