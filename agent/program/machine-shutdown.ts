/** Graceful shutdown, if the configuration gives pods time. */
import { createLogind } from '../adapters/logind/logind.ts';
import { LOGIND_SETTINGS } from '../adapters/logind/settings.ts';
import { shutdownRecordFile } from '../adapters/shutdown-record-file.ts';
import { isGateOn } from '../domain/config/feature-gates.ts';
import type { KubeletConfig } from '../domain/config/kubelet-config.ts';
import type { NodeEvent } from '../domain/node/reported-status.ts';
import { type GraceEntry, graceEntries } from '../domain/shutdown/priority-groups.ts';
import type { Clock } from '../ports/clock.ts';
import type { Log, PodsOnNode } from '../ports/shutdown.ts';
import { createLinuxShutdown } from '../shutdown/linux-shutdown.ts';
import { type NodeShutdown, noShutdown } from '../shutdown/node-shutdown.ts';

export interface MachineShutdownDeps {
  readonly config: KubeletConfig;
  readonly rootDirectory: string;
  readonly pods: PodsOnNode;
  readonly events: {
    ofNode(event: NodeEvent): void;
  };
  /** Sends the Node's status now. */
  sync(): Promise<void>;
  readonly clock: Clock;
  readonly log: Log;
}

const entriesOf = (config: KubeletConfig): readonly GraceEntry[] => {
  if (!isGateOn(config.featureGates, 'GracefulNodeShutdown')) return [];
  return graceEntries({
    shutdownGracePeriodMs: Number(config.shutdownGracePeriod) / 1e6,
    shutdownGracePeriodCriticalPodsMs: Number(config.shutdownGracePeriodCriticalPods) / 1e6,
    byPodPriority: config.shutdownGracePeriodByPodPriority ?? [],
  });
};

const NO_GAUGES = { startedAt: () => undefined, endedAt: () => undefined };

export const createMachineShutdown = (deps: MachineShutdownDeps): NodeShutdown => {
  const { config, rootDirectory, pods, events, sync, clock, log } = deps;
  const entries = entriesOf(config);
  if (entries.length === 0) return noShutdown;
  return createLinuxShutdown({
    ...{ entries, pods, clock, log, gauges: NO_GAUGES },
    logind: createLogind({ settings: LOGIND_SETTINGS, sleep: (ms) => clock.sleep(ms) }),
    record: shutdownRecordFile(rootDirectory),
    node: {
      event: (reason, message) => events.ofNode({ type: 'Normal', reason, message }),
      sync,
      progressed: () => undefined,
    },
  });
};
