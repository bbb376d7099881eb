/** Graceful shutdown, if the configuration gives pods time. */
import { randomUUID } from 'node:crypto';
import { createLogind } from '../../adapters/logind/logind.ts';
import { logindSettingsOf } from '../../adapters/logind/settings.ts';
import { shutdownRecordFile } from '../../adapters/shutdown-record-file.ts';
import type { ShutdownApi } from '../../ports/api/shutdown-api.ts';
import type { Clock } from '../../ports/machine/clock.ts';
import type { Log, PodsOnNode, ShutdownGauges } from '../../ports/machine/shutdown.ts';
import { isGateOn } from '../../rules/config/feature-gates.ts';
import type { KubeletConfig } from '../../rules/config/kubelet-config.ts';
import type { NodeEvent } from '../../rules/node/reported-status.ts';
import { type GraceEntry, graceEntries, requestedSeconds } from '../../rules/shutdown/priority-groups.ts';
import { withReportTime } from '../../rules/shutdown/report-time.ts';
import type { DecidedEnds } from '../../shutdown/decided-ends.ts';
import { createLinuxShutdown } from '../../shutdown/linux-shutdown.ts';
import { type NodeShutdown, noShutdown } from '../../shutdown/node-shutdown.ts';
import { createShutdownTeller, type ShutdownTeller } from '../../shutdown/tell-shutdown.ts';

export interface MachineShutdownDeps {
  readonly nodeName: string;
  readonly config: KubeletConfig;
  readonly rootDirectory: string;
  readonly pods: PodsOnNode;
  readonly events: {
    ofNode(event: NodeEvent): void;
  };
  readonly shutdowns: ShutdownApi;
  readonly gauges: ShutdownGauges;
  readonly decide: DecidedEnds['decide'];
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

/** A shutdown that the last run of the agent has told of does not go on, unless logind says so again. */
const endingTheLast = (shutdown: NodeShutdown, teller: ShutdownTeller): NodeShutdown => ({
  ...shutdown,
  start: async () => {
    teller.tell(undefined);
    await shutdown.start();
  },
  stop: async () => {
    teller.stop();
    await shutdown.stop();
  },
});

export const createMachineShutdown = (deps: MachineShutdownDeps): NodeShutdown => {
  const { nodeName, config, rootDirectory, pods, events, shutdowns, gauges, sync, clock, log, decide } = deps;
  const entries = entriesOf(config);
  const totalSeconds = requestedSeconds(entries);
  const teller = createShutdownTeller({ api: shutdowns, clock, log, totalSeconds, newId: randomUUID });
  if (entries.length === 0) return endingTheLast(noShutdown, teller);
  const shutdown = createLinuxShutdown({
    entries: withReportTime(entries),
    delaySeconds: totalSeconds,
    decide,
    pods,
    clock,
    log,
    gauges,
    logind: createLogind({ settings: logindSettingsOf(nodeName), sleep: (ms) => clock.sleep(ms) }),
    record: shutdownRecordFile(rootDirectory),
    node: {
      event: (reason, message) => events.ofNode({ type: 'Normal', reason, message }),
      sync,
      progressed: teller.tell,
    },
  });
  return endingTheLast(shutdown, teller);
};
