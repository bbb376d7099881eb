/** Graceful shutdown with systemd-logind. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `nodeshutdown_manager_linux.go`. */

import type { InhibitorLock, Logind, LogindConnection } from '../ports/machine/logind.ts';
import { delayTooShort } from '../rules/shutdown/shutdown-delay.ts';
import { SHUTDOWN_EVENT } from '../rules/shutdown/shutting-down.ts';
import { type NodeShutdown, type ShutdownState, shutdownAnswers } from './node-shutdown.ts';
import { processShutdown, restoreGauges, type ShutdownDeps } from './process-shutdown.ts';

export interface LinuxShutdownDeps extends ShutdownDeps {
  readonly logind: Logind;
}

/** How long to wait before logind is asked again. */
const RECONNECT_MS = 1000;

interface Held extends ShutdownState {
  /** The lock that was taken last; it may be released already. */
  lock: InhibitorLock | undefined;
  connection: LogindConnection | undefined;
  isStopped: boolean;
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** Makes logind wait as long as the pods may take. */
const ensureDelay = async (logind: LogindConnection, seconds: number): Promise<void> => {
  const requestedMs = seconds * 1000;
  if (requestedMs <= (await logind.inhibitDelayMs())) return;
  await logind.overrideInhibitDelay(seconds).catch((error: unknown) => {
    throw new Error(`unable to override inhibit delay by shutdown manager: ${messageOf(error)}`);
  });
  await logind.reload();
  const currentMs = await logind.inhibitDelayMs();
  if (requestedMs > currentMs) throw new Error(delayTooShort(requestedMs, currentMs));
};

/** Takes the new lock before the old one is let go, so that there is always one. */
const takeLock = async (logind: LogindConnection, held: Held): Promise<void> => {
  const lock = await logind.inhibitShutdown();
  await held.lock?.release();
  held.lock = lock;
};

const monitor = async (logind: LogindConnection, held: Held): Promise<AsyncIterable<boolean>> => {
  try {
    return await logind.announcements();
  } catch (error) {
    await held.lock?.release();
    throw new Error(`failed to monitor shutdown: ${messageOf(error)}`);
  }
};

const prepare = async (
  { delaySeconds }: LinuxShutdownDeps,
  logind: LogindConnection,
  held: Held,
): Promise<AsyncIterable<boolean>> => {
  await ensureDelay(logind, delaySeconds);
  await takeLock(logind, held);
  return monitor(logind, held);
};

/** Connects to logind and takes the lock; the announcements of that connection. */
const connect = async (deps: LinuxShutdownDeps, held: Held): Promise<AsyncIterable<boolean>> => {
  const connection = await deps.logind.connect();
  held.connection = connection;
  try {
    return await prepare(deps, connection, held);
  } catch (error) {
    await connection.close();
    throw error;
  }
};

const shutDown = async (deps: LinuxShutdownDeps, held: Held): Promise<void> => {
  try {
    await processShutdown(deps, held, 'Shutdown manager detected shutdown event');
  } finally {
    await held.lock?.release();
  }
};

/** The pods that have ended stay so. The condition Ready follows with the next status. */
const cancel = async ({ node, log }: LinuxShutdownDeps, held: Held): Promise<void> => {
  node.event(SHUTDOWN_EVENT, 'Shutdown manager detected shutdown cancellation');
  held.isShuttingDown = false;
  held.progress = undefined;
  node.progressed(undefined);
  try {
    if (held.connection) await takeLock(held.connection, held);
  } catch (error) {
    log('Failed to delay the next shutdown', error);
    // The next connection takes a lock again.
    await held.connection?.close();
  }
};

/** Handles announcements one after the other: what comes meanwhile waits. */
const handleAll = async (
  deps: LinuxShutdownDeps,
  held: Held,
  announcements: AsyncIterable<boolean>,
): Promise<void> => {
  for await (const isShuttingDown of announcements)
    await (isShuttingDown ? shutDown(deps, held) : cancel(deps, held));
  await held.connection?.close();
};

/** Follows a connection until it ends. */
const follow = async (
  deps: LinuxShutdownDeps,
  held: Held,
  connected: () => Promise<AsyncIterable<boolean>>,
): Promise<void> => {
  try {
    await handleAll(deps, held, await connected());
  } catch (error) {
    deps.log('Unable to watch the node for shutdown events', error);
  }
};

/** Follows the first connection, and a new one whenever one ends. */
const watch = async (deps: LinuxShutdownDeps, held: Held, first: AsyncIterable<boolean>): Promise<void> => {
  await follow(deps, held, async () => first);
  while (!held.isStopped) {
    await deps.clock.sleep(RECONNECT_MS);
    if (!held.isStopped) await follow(deps, held, () => connect(deps, held));
  }
};

/** Graceful shutdown on a machine with systemd. If the first start fails, there is none until the agent starts again. */
export const createLinuxShutdown = (deps: LinuxShutdownDeps): NodeShutdown => {
  const held: Held = {
    isShuttingDown: false,
    progress: undefined,
    lock: undefined,
    connection: undefined,
    isStopped: false,
  };
  let watching: Promise<void> | undefined;
  return {
    ...shutdownAnswers(held),
    start: async () => {
      watching = watch(deps, held, await connect(deps, held));
      await restoreGauges(deps);
    },
    stop: async () => {
      held.isStopped = true;
      await held.connection?.close();
      await watching;
      await held.lock?.release();
    },
  };
};
