/** Composes the host: API, controllers and housekeeping over one folder, in one process. */
import { type LoadedController, loadControllers } from '../lambdas/controllers.ts';
import { runningControllers } from '../lambdas/running-controllers.ts';
import type { SqliteState } from '../shared/adapters/sqlite/state.ts';
import { machineTime } from '../shared/adapters/system/machine-time.ts';
import type { Listener } from '../shared/serving/http/listener.ts';
import { folderProblem } from '../shared/serving/http/problem.ts';
import type { HostPaths } from '../shared/serving/machine/files.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { type Loop, stopAll } from '../shared/serving/machine/loop.ts';
import { ALL_SHORTCUTS, type Shortcuts } from '../shared/serving/repeats/shortcuts.ts';
import type { HostConfiguration } from '../shared/settings/host/host-configuration.ts';
import { type Access, grantAccess } from './access.ts';
import { serveAdminMailbox } from './admin-mailbox.ts';
import { createMachines } from './beats/machines.ts';
import { createPresence, type Presence } from './beats/presence.ts';
import { startControlPlane } from './control-plane.ts';
import { createHostMetrics } from './figures/host-metrics.ts';
import { beginPresence, recordAbsence, recordStep } from './figures/presence-series.ts';
import { startHostTracing } from './figures/tracing.ts';
import { createClockSteps } from './folder/clock-steps.ts';
import { type OpenFolder, openFolder } from './folder/folder.ts';
import { startHousekeeping } from './housekeeping.ts';
import { listenFor } from './listen.ts';
import { startSinks } from './notifications/start.ts';
import { type Ports, portsOf } from './ports.ts';
import { createLogBus, joinBuses, SILENT_BUS } from './queues/event-bus.ts';
import { createInvocation } from './queues/invocation.ts';
import { startNamespaceLooks } from './queues/namespaces.ts';
import { settingsOf } from './queues/settings.ts';

/** A running host. */
export interface Host {
  readonly url: string;
  readonly paths: HostPaths;
  /** Certificate of the CA, PEM. */
  readonly ca: string;
  readonly adminToken: string;
  readonly state: SqliteState;
  /** The host puts no NoExecute taint on a node before this instant, ms. */
  quietUntil(): number;
  /** Ends requests, controllers and housekeeping, then closes the state: within some ten seconds, whatever they are at. */
  stop(): Promise<void>;
}

/** Milliseconds that requests in flight get to be answered at a stop. */
const DRAIN_MS = 5_000;
/**
 * Milliseconds that controllers get to end what they are at, and after them what works for them. Work that takes longer stands still: a scheduled run
 * begins again at the next start, and a message is handled again.
 */
const STOP_MS = 2_000;

/** Processor time of the process, ms. */
const busyMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};

const seconds = (ms: number): string => `${Math.round(ms / 1000)} s`;

const presenceOf = (ports: Ports, { configuration, clock, state, hostLog }: OpenFolder): Presence => {
  const onReturn = (awayMs: number, excuseMs: number): void => {
    recordAbsence(ports.metrics, awayMs);
    hostLog.warn(
      `back after ${seconds(awayMs)}: nodes get ${seconds(excuseMs)} to answer, and no node gets a NoExecute taint before; stored deadlines do not move`,
    );
  };
  const onLateComeback = (): void =>
    hostLog.info('nodes come back as fast as they can be verified: none is found silent before that is over');
  const onStep = (byMs: number): void => recordStep(ports.metrics, byMs);
  return createPresence({
    ...ports,
    absences: state.absences,
    alive: {
      lastAlive: state.lastAlive,
      beatsLostBefore: state.beatsLostBefore,
      heardAgain: state.heardAgain,
      keepAlive: (now) => state.keepAlive(now, machineTime()),
    },
    config: configuration.cluster.nodeLifecycle,
    busyMs,
    steps: createClockSteps({ clock, state, machineTime, hostLog, tokens: ports.verified, onStep }),
    onReturn,
    onLateComeback,
  });
};

/** The loops of a host. */
interface Loops {
  /** Controllers, and what asks for work. */
  readonly first: readonly Loop[];
  /** What works for them, and is stopped after them. */
  readonly last: readonly Loop[];
}

const startControllers = async (
  ports: Ports,
  presence: Presence,
  opened: OpenFolder,
  loaded: readonly LoadedController[],
): Promise<Loops> => {
  const { configuration, hostLog, state } = opened;
  const { cluster, fleet } = configuration;
  const names = runningControllers(configuration.controllers);
  // With a fleet, the roll call shows the same events in fewer words.
  const log = fleet ? SILENT_BUS : createLogBus(hostLog);
  const machines = createMachines(configuration);
  const settings = { ...settingsOf(cluster).controllers, ...machines.ports };
  const derivesNodeFields = names.includes('node-monitor');
  const deps = { ...ports, ...ports.fair, bus: log, presence, derivesNodeFields, ...settings };
  if (cluster.controllers === 'none')
    return { first: startNamespaceLooks(createInvocation(deps), loaded), last: [] };
  state.release();
  const sinks = startSinks(
    { ...ports, notices: state.notices, clusterId: cluster.clusterId },
    configuration.events,
  );
  if (sinks) deps.bus = joinBuses([log, sinks.bus]);
  const running = loaded.filter(({ name }) => names.includes(name));
  const watches = names.includes('cloud-node') ? machines.watch(deps) : [];
  return { first: [...watches, ...(await startControlPlane(deps, running))], last: sinks?.loops ?? [] };
};

interface Running {
  readonly listener: Listener;
  readonly access: Access;
  readonly presence: Presence;
  readonly loops: Loops;
  readonly standstill: Ports['standstill'];
}

/** Starts the listener before the controllers: a host that does not receive heartbeats must not find nodes silent. */
const run = async (opened: OpenFolder, shortcuts: Shortcuts): Promise<Running> => {
  const { configuration, paths, state, certificates, hostLog } = opened;
  const loaded = await loadControllers();
  const metrics = createHostMetrics(loaded.flatMap(({ work }) => work.metrics));
  const tracing = await startHostTracing(configuration, metrics);
  const ports = portsOf(opened, metrics, tracing, shortcuts);
  beginPresence(ports.metrics, certificates);
  const listener = await listenFor(ports, opened);
  const { port } = listener;
  const access = await grantAccess(configuration, { ...opened, ca: certificates.ca, port });
  const presence = presenceOf(ports, opened);
  const controllers = await startControllers(ports, presence, opened, loaded);
  const { timeFactor, cluster } = configuration;
  const housekeeping = startHousekeeping({
    ...ports,
    state,
    presence,
    timeFactor,
    controllers: cluster.controllers,
  });
  const requests = serveAdminMailbox(paths.requests, { backup: (file) => state.backup(file) }, hostLog);
  return {
    listener,
    access,
    presence,
    standstill: ports.standstill,
    loops: {
      first: [requests, ...controllers.first],
      last: [...controllers.last, housekeeping, ...(tracing ? [tracing] : [])],
    },
  };
};

const hostOf = ({ paths, certificates, state }: OpenFolder, running: Running): Host => {
  const { listener, access, presence, loops, standstill } = running;
  return {
    ...access,
    paths,
    ca: certificates.ca,
    state,
    quietUntil: presence.quietUntil,
    stop: async () => {
      await listener.stop(DRAIN_MS);
      await stopAll(loops.first, STOP_MS);
      standstill.begin();
      await stopAll(loops.last, STOP_MS);
      access.withdraw();
      state.close();
    },
  };
};

/** Starts a host. Resolves when it listens and its controllers run. Rejects with a `HostProblem`. `shortcuts`: those of beats. */
export const startHost = async (
  configuration: HostConfiguration,
  hostLog: HostLog,
  shortcuts = ALL_SHORTCUTS,
): Promise<Host> => {
  let opened: OpenFolder | undefined;
  try {
    opened = await openFolder(configuration, hostLog);
    return hostOf(opened, await run(opened, shortcuts));
  } catch (error) {
    opened?.state.close();
    throw folderProblem(error, configuration.folder);
  }
};
