/** A row of the table `shutdown-run`: the shutdown of a Linux node in virtual time, over a machine that does as the row says. */

import type { Clock } from '../../../../agent/ports/machine/clock.ts';
import type { Logind, LogindConnection } from '../../../../agent/ports/machine/logind.ts';
import type { PodsOnNode } from '../../../../agent/ports/machine/shutdown.ts';
import { graceEntries, requestedSeconds } from '../../../../agent/rules/shutdown/priority-groups.ts';
import { recordText } from '../../../../agent/rules/shutdown/record.ts';
import { createLinuxShutdown } from '../../../../agent/shutdown/linux-shutdown.ts';
import { type NodeShutdown, noShutdown } from '../../../../agent/shutdown/node-shutdown.ts';
import { createVirtualClock } from '../../../../shared/adapters/memory/virtual-clock.ts';
import type { Pod, PodPhase, PodStatus } from '../../../../shared/kube/types/core.ts';

interface Connection {
  readonly delayMs: number;
  readonly delayAfterMs: number;
  readonly signals: readonly (readonly [number, boolean])[];
  readonly closeAtMs?: number;
  readonly connectError?: string;
  readonly delayError?: string;
  readonly overrideError?: string;
  readonly reloadError?: string;
  readonly inhibitError?: string;
  readonly monitorError?: string;
}

interface PodRow {
  readonly name: string;
  readonly priority?: number;
  readonly terminationGracePeriodSeconds?: number;
  readonly phase: PodPhase;
  readonly killMs: number;
  readonly killError?: boolean;
  readonly unmountMs?: number;
}

export interface RunRow {
  readonly shutdownGracePeriodMs: number;
  readonly shutdownGracePeriodCriticalPodsMs: number;
  readonly byPodPriority: readonly (readonly [number, number])[];
  readonly connections: readonly Connection[];
  readonly pods: readonly PodRow[];
  readonly probes: readonly number[];
}

const START = Date.parse('2000-01-01T00:00:00Z');
/** Later than anything that a row lets happen. */
const END_MS = 3_600_000;

const failIf = (error: string | undefined): void => {
  if (error !== undefined) throw new Error(error);
};

const never = (): Promise<never> => new Promise<never>(() => {});

type Tell = (text: string) => void;

async function* announcementsOf(
  { signals, closeAtMs }: Connection,
  sleepUntil: (ms: number) => Promise<void>,
): AsyncGenerator<boolean> {
  for (const [ms, isShuttingDown] of signals) {
    await sleepUntil(ms);
    yield isShuttingDown;
  }
  await (closeAtMs === undefined ? never() : sleepUntil(closeAtMs));
}

const connectionOf = (
  row: Connection,
  clock: Clock,
  tell: Tell,
  nextLock: () => number,
): LogindConnection => {
  const connectedAt = clock.now();
  let reads = 0;
  return {
    inhibitDelayMs: async () => {
      failIf(row.delayError);
      return reads++ === 0 ? row.delayMs : row.delayAfterMs;
    },
    overrideInhibitDelay: async (seconds) => {
      tell(`override ${seconds}`);
      failIf(row.overrideError);
    },
    reload: async () => {
      tell('reload logind');
      failIf(row.reloadError);
    },
    inhibitShutdown: async () => {
      if (row.inhibitError !== undefined) tell('inhibit failed');
      failIf(row.inhibitError);
      const lock = nextLock();
      tell(`inhibit lock ${lock}`);
      return { release: async () => tell(`release lock ${lock}`) };
    },
    announcements: async () => {
      failIf(row.monitorError);
      return announcementsOf(row, (ms) => clock.sleep(connectedAt + ms - clock.now()));
    },
    close: async () => {},
  };
};

const logindOf = (rows: readonly Connection[], clock: Clock, tell: Tell): Logind => {
  let connections = 0;
  let locks = 0;
  return {
    connect: async () => {
      const row = rows[connections++];
      if (!row) return never();
      tell('connect');
      failIf(row.connectError);
      return connectionOf(row, clock, tell, () => ++locks);
    },
  };
};

const podOf = ({ name, phase, priority, terminationGracePeriodSeconds }: PodRow): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name, namespace: 'ns' },
  spec: {
    ...(priority === undefined ? {} : { priority }),
    ...(terminationGracePeriodSeconds === undefined ? {} : { terminationGracePeriodSeconds }),
  },
  status: { phase },
});

/** The status as it was recorded: without times. */
const slim = ({ conditions = [], ...status }: PodStatus): unknown => ({
  ...status,
  conditions: conditions.map(({ type, status: is, reason, message }) => ({
    type,
    status: is,
    reason,
    message,
  })),
});

const podsOf = (
  rows: readonly PodRow[],
  clock: Clock,
  tell: Tell,
  statuses: Record<string, unknown>,
): PodsOnNode => {
  const pods = rows.map(podOf);
  const rowOf = ({ metadata }: Pod): PodRow | undefined => rows.find(({ name }) => name === metadata.name);
  return {
    active: () => pods,
    end: async (pod, { graceSeconds, isEvicted, status }) => {
      const { name } = pod.metadata;
      tell(`kill ${name} grace=${graceSeconds} evicted=${isEvicted}`);
      statuses[name] = slim(status(pod.status ?? {}));
      await clock.sleep(rowOf(pod)?.killMs ?? 0);
      tell(rowOf(pod)?.killError ? `kill failed ${name}` : `killed ${name}`);
      if (rowOf(pod)?.killError) throw new Error('kill failed');
    },
    unmounted: async (group, signal) => {
      const ms = Math.max(...group.map((pod) => rowOf(pod)?.unmountMs ?? 0));
      if (ms > 0) {
        const aborted = new Promise<void>((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason as Error));
        });
        signal.throwIfAborted();
        await Promise.race([clock.sleep(ms), aborted]);
      }
      tell(`unmounted ${group.map(({ metadata }) => metadata.name).join(',')}`);
    },
    // A kubelet does not wait for it.
    reported: async () => {},
  };
};

const probe = (shutdown: NodeShutdown, atMs: number) => ({
  atMs,
  reason: '',
  message: '',
  ...shutdown.admit(),
  shutdown: shutdown.readyError() ?? null,
});

/** Computes `out` of a row. */
export const shutdownRun = async (row: RunRow): Promise<unknown> => {
  const base = createVirtualClock(START);
  const clock: Clock = { now: base.now, sleep: base.sleep, uptime: () => base.now() - START };
  const timeline: [number, string][] = [];
  const tell: Tell = (text) => timeline.push([clock.uptime(), text]);
  const podStatus: Record<string, unknown> = {};
  let stateFile: string | undefined;
  const entries = graceEntries({
    ...row,
    byPodPriority: row.byPodPriority.map(([priority, seconds]) => ({
      priority,
      shutdownGracePeriodSeconds: seconds,
    })),
  });
  const shutdown =
    entries.length === 0
      ? noShutdown
      : createLinuxShutdown({
          clock,
          entries,
          delaySeconds: requestedSeconds(entries),
          decide: async () => {},
          logind: logindOf(row.connections, clock, tell),
          pods: podsOf(row.pods, clock, tell, podStatus),
          node: {
            event: (reason, message) => tell(`event Normal ${reason} ${message}`),
            sync: async () => tell('sync node status'),
            // A kubelet does not tell how far it has come.
            progressed: () => {},
          },
          record: {
            load: async () => undefined,
            store: async (record) => {
              stateFile = recordText(record);
            },
          },
          gauges: { startedAt: () => {}, endedAt: () => {} },
          log: () => {},
        });
  const run = async () => {
    const startError = await shutdown.start().then(
      () => null,
      (error: Error) => error.message,
    );
    const probes: unknown[] = [];
    for (const atMs of row.probes) {
      await clock.sleep(atMs - clock.uptime());
      probes.push(probe(shutdown, atMs));
    }
    await clock.sleep(END_MS - clock.uptime());
    return { startError, probes };
  };
  const { startError, probes } = await base.run(run());
  timeline.sort(([a, x], [b, y]) => a - b || (x < y ? -1 : 1));
  return { enabled: entries.length > 0, startError, timeline, probes, podStatus, stateFile };
};
