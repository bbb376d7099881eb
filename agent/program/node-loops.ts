/** What keeps the Node up to date: its registration, its status, its Lease. */
import { createLeaseApi } from '../adapters/api/lease-api.ts';
import { createNodeRegistry, type OwnNodeApi } from '../adapters/api/node-api.ts';
import type { ApiSession } from '../adapters/api/session.ts';
import type { AgentSettings } from '../config/agent-settings.ts';
import { registerNode } from '../node/register-node.ts';
import { renewLease } from '../node/renew-lease.ts';
import { createStatusReporter, type StatusReporter } from '../node/status-reporter.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPods } from '../ports/pods/agent-pods.ts';
import type { NodeEvent } from '../rules/node/reported-status.ts';
import { beatPauseMs, INITIAL_PACE, paceAfter } from '../rules/node-status/beat-pace.ts';
import { renewIntervalMs } from '../rules/node-status/lease.ts';
import { delayAfterChange, type Platform } from '../rules/node-status/report.ts';
import type { createOwnNode } from './own-node.ts';

export interface NodeLoopsDeps {
  readonly settings: AgentSettings;
  readonly session: ApiSession;
  readonly nodes: OwnNodeApi;
  readonly ownNode: ReturnType<typeof createOwnNode>;
  readonly platform: Platform;
  readonly pods: Pick<AgentPods, 'probe'>;
  readonly clock: Clock;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  readonly signal: AbortSignal;
  record(event: NodeEvent): void;
}

const msOf = (nanoseconds: bigint): number => Number(nanoseconds) / 1e6;

/** Registers once in the life of the process, as a kubelet does: a Node that is deleted is not made again. */
const registration = (deps: NodeLoopsDeps): (() => Promise<void>) => {
  const { settings, session, ownNode, clock, signal, log } = deps;
  let done: Promise<unknown> | undefined;
  const register = (): Promise<unknown> =>
    registerNode({
      nodes: createNodeRegistry(session),
      buildNode: ownNode.build,
      isRecreated: false,
      clock,
      signal,
      warn: log,
    });
  return async () => {
    if (!settings.registersNode) return;
    done ??= register();
    await done;
  };
};

export const createNodeReporter = (deps: NodeLoopsDeps): StatusReporter => {
  const { settings, session, nodes, ownNode, platform, pods, clock, random, log, record } = deps;
  const reportMs = msOf(settings.config.nodeStatusReportFrequency);
  return createStatusReporter({
    nodes,
    platform,
    clock,
    random,
    record,
    warn: log,
    fill: ownNode.fill,
    updatePodCidrs: async () => undefined,
    probe: pods.probe,
    resetConnections: session.reset,
    frequencyMs: reportMs,
    updateFrequencyMs: msOf(settings.config.nodeStatusUpdateFrequency),
    drawDelay: () => delayAfterChange(reportMs, random()),
    register: registration(deps),
  });
};

export interface Beats {
  /** The Node's uid, which the token has, too. */
  readonly nodeUid: string;
  /** A beat was answered, with this revision of the node's work. */
  onBeat(revision: string | undefined): void;
}

/** Beats by the Lease, faster for a while after the work has changed. Never rejects. */
export const beat = async (deps: NodeLoopsDeps, { nodeUid, onBeat }: Beats): Promise<void> => {
  const { settings, session, clock, random, log, signal } = deps;
  const { nodeName, config } = settings;
  const intervalMs = renewIntervalMs(config.nodeLeaseDurationSeconds);
  let pace = INITIAL_PACE;
  const heard = (revision: string | undefined): void => {
    if (revision !== undefined) pace = paceAfter(pace, revision, clock.uptime());
    onBeat(revision);
  };
  await renewLease({
    leases: createLeaseApi({ session, nodeName, nodeUid, onBeat: heard }),
    settings: { nodeName, durationSeconds: config.nodeLeaseDurationSeconds },
    pauseMs: () => beatPauseMs(pace, clock.uptime(), intervalMs, random()),
    resetConnections: session.reset,
    clock,
    signal,
    warn: log,
  });
};
