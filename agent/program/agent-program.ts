/** The agent: it makes a machine a Node, and keeps it one until it is stopped. */
import type { Node } from '../../shared/kube/types/core.ts';
import { createEventRecorder, type EventRecorder } from '../adapters/api/event-recorder.ts';
import { createMirrorApi } from '../adapters/api/mirror-api.ts';
import { createNodeApi, type OwnNodeApi } from '../adapters/api/node-api.ts';
import { createPodApi } from '../adapters/api/pod-api.ts';
import { createServiceAccountTokens } from '../adapters/api/service-account-tokens.ts';
import type { ApiSession } from '../adapters/api/session.ts';
import { createShutdownApi } from '../adapters/api/shutdown-api.ts';
import { requestToken } from '../adapters/api/token-api.ts';
import { createWorkSource } from '../adapters/api/work-source.ts';
import { nodeCopyFile } from '../adapters/node-copy-file.ts';
import { createKnownNode, type KnownNode, type KnownNodeDeps } from '../node/known-node.ts';
import type { StatusReporter } from '../node/status-reporter.ts';
import { createWorkReader } from '../node/work-reader.ts';
import type { MirrorApi } from '../ports/api/mirror-api.ts';
import type { PodApi } from '../ports/api/pod-api.ts';
import type { ServiceAccountTokens } from '../ports/api/service-account-tokens.ts';
import type { ShutdownApi } from '../ports/api/shutdown-api.ts';
import type { TokenStore } from '../ports/api/token-store.ts';
import type { WorkSink } from '../ports/api/work-sink.ts';
import { AgentFault } from '../ports/machine/agent-fault.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { MachineSource } from '../ports/machine/machine-source.ts';
import type { Log } from '../ports/machine/shutdown.ts';
import type { AgentPods } from '../ports/pods/agent-pods.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';
import type { Serving } from '../rules/node/serving.ts';
import type { MachineTime, OwnToken } from '../rules/registration/own-token.ts';
import { type AgentCounter, createAgentCounter } from '../stats/agent-counter.ts';
import { type BootstrapSource, bootstrapOf } from './bootstrap.ts';
import { join } from './join.ts';
import { beat, createNodeReporter } from './node-loops.ts';
import { createOwnNode, type NodeSource } from './own-node.ts';
import { createOwnSession } from './own-session.ts';
import { renewToken } from './renew-token.ts';
import { type RunningServer, startServing } from './serving.ts';

export interface AgentOptions extends NodeSource, Omit<BootstrapSource, 'settings'> {}

/** What the part that runs pods is made of. */
export interface PodParts extends NodeSource {
  readonly api: PodApi;
  readonly tokens: ServiceAccountTokens;
  readonly mirrors: MirrorApi;
  readonly shutdowns: ShutdownApi;
  /** URL of the API. */
  readonly server: string;
  readonly events: EventRecorder;
  readonly counter: AgentCounter;
  /** The Node as the API said last. */
  seenNode(): ReportedNode | undefined;
  /** What is known of the Node, with the API and without it. */
  readonly node: Omit<KnownNode, 'keep'>;
  /** The Node, asked for if it may have changed. Rejects if there is none, or no answer. */
  knownNode(): Promise<ReportedNode>;
  /** Sends the Node's status now, if it has changed. */
  reportNode(): Promise<void>;
  readonly machine: MachineSource;
  /** It goes on until nothing is left to do for pods. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface AgentParts {
  readonly machine: MachineSource;
  readonly tokens: TokenStore;
  machineTime(): MachineTime;
  /** The clock of an agent that ends when `signal` aborts. */
  clock(signal: AbortSignal): Clock;
  createPods(parts: PodParts): AgentPods;
  /** From 0 up to 1. */
  readonly random: () => number;
  readonly log: Log;
  /** The machine has its own token, and begins to beat. */
  onJoined(): void;
  /** A beat was answered. */
  onBeat(): void;
}

interface Running {
  readonly options: AgentOptions;
  readonly parts: AgentParts;
  readonly clock: Clock;
  readonly signal: AbortSignal;
  readonly session: ApiSession;
  readonly pods: AgentPods;
  readonly counter: AgentCounter;
  readonly events: EventRecorder;
  readonly ownNode: ReturnType<typeof createOwnNode>;
  readonly nodes: OwnNodeApi;
  /** What reports the Node, as soon as it is there. */
  readonly reporting: { reporter?: StatusReporter };
  /** Ends the work on pods. */
  readonly podsStop: AbortController;
  /** The agent's own server, if there is one. */
  readonly server: { running?: RunningServer | undefined };
  readonly token: { current: OwnToken };
}

const joined = async ({ options, parts, clock, signal, ownNode }: Omit<Running, 'token'>) =>
  join({
    nodeName: options.settings.nodeName,
    registersNode: options.settings.registersNode,
    tokens: parts.tokens,
    machineTime: parts.machineTime,
    log: parts.log,
    clock,
    signal,
    buildNode: ownNode.build,
    lifeMs: options.tokenLifeMs,
    ...bootstrapOf(options),
  });

const work = (running: Running, onChange: () => void) => {
  const { options, parts, clock, session, pods, counter, server, token } = running;
  const { clusterId, nodeUid } = token.current;
  const apply: WorkSink['apply'] = async (given) => {
    if (given.channel) server.running?.call(given.channel);
    await pods.apply(given);
  };
  return createWorkReader({
    source: counter.countedWork(createWorkSource(session, options.settings.nodeName)),
    sink: { ...pods, apply },
    owner: { clusterId, nodeUid },
    clock,
    log: parts.log,
    onChange,
  });
};

const renewing = ({ options, parts, clock, signal, session, token }: Running): Promise<void> =>
  renewToken(
    {
      tokens: parts.tokens,
      machineTime: parts.machineTime,
      log: parts.log,
      clock,
      lifeMs: options.tokenLifeMs,
      current: () => token.current,
      replace: (next) => {
        token.current = next;
      },
      issue: (lifeMs) => requestToken(session, options.settings.nodeName, lifeMs),
    },
    signal,
  );

/** Everything that goes on while the machine is a Node. */
const live = async (running: Running): Promise<void> => {
  const { options, parts, clock, signal, session, pods, events, ownNode, nodes, token } = running;
  const { operatingSystem, architecture } = await parts.machine.system();
  const deps = {
    settings: options.settings,
    session,
    nodes,
    ownNode,
    pods,
    clock,
    signal,
    random: parts.random,
    log: parts.log,
    record: events.ofNode,
    platform: { operatingSystem, architecture },
  };
  const reporter = createNodeReporter(deps);
  running.reporting.reporter = reporter;
  const reader = work(running, nodes.forget);
  const onBeat = (revision: string | undefined): void => {
    parts.onBeat();
    running.counter.beat();
    if (revision !== undefined) reader.announced(revision);
  };
  parts.log(`the node ${options.settings.nodeName} has joined ${options.addresses.server}`);
  parts.onJoined();
  await Promise.all([
    events.run(signal),
    renewing(running),
    reporter.run(signal),
    reporter.becomeReady(signal),
    beat(deps, { nodeUid: token.current.nodeUid, onBeat }),
    reader.run(signal),
  ]);
};

/** The Node, with its copy in the agent's folder. */
const knownNodeOf = (rootDirectory: string, deps: Omit<KnownNodeDeps, 'copies'>): KnownNode =>
  createKnownNode({ ...deps, copies: nodeCopyFile(rootDirectory) });

/** The parts that do not need the token yet; requests ask for it. */
const assembled = (options: AgentOptions, parts: AgentParts, stop: AbortController) => {
  const { signal } = stop;
  const clock = parts.clock(signal);
  const token: { current?: OwnToken } = {};
  const current = (): OwnToken => {
    if (token.current) return token.current;
    throw new Error('the machine has not joined yet');
  };
  const session = createOwnSession({
    addresses: options.addresses,
    current,
    clock,
    random: parts.random,
    log: parts.log,
    onVoid: (fault) => stop.abort(fault),
  });
  const { settings, rootDirectory, agentVersion } = options;
  const events = createEventRecorder({ session, nodeName: settings.nodeName, clock, log: parts.log });
  const source: NodeSource = { settings, rootDirectory, agentVersion };
  const { machine, log } = parts;
  const build = (): Promise<Node> => ownNode.build();
  const seen = (): ReportedNode | undefined => nodes.seen();
  const uid = (): string => current().nodeUid;
  const node = knownNodeOf(rootDirectory, { seen, uid, build, clock, log });
  const nodes = createNodeApi(session, settings.nodeName, node.keep);
  const api = createPodApi(session);
  const reporting: Running['reporting'] = {};
  const counter = createAgentCounter();
  const podsStop = new AbortController();
  const pods = parts.createPods({
    ...source,
    events,
    counter,
    machine,
    log,
    server: options.addresses.server,
    api,
    tokens: createServiceAccountTokens(session),
    mirrors: createMirrorApi(session, api, settings.nodeName),
    shutdowns: createShutdownApi(session, settings.nodeName),
    clock: parts.clock(podsStop.signal),
    seenNode: nodes.seen,
    node,
    knownNode: nodes.known,
    reportNode: async () => void (await reporting.reporter?.report()),
  });
  const server: Running['server'] = {};
  const serving = (): Serving | undefined => server.running?.serving;
  const ownNode = createOwnNode(source, { machine, facts: pods.facts, clock, serving, warn: log });
  return {
    options,
    parts,
    clock,
    signal,
    session,
    pods,
    counter,
    events,
    ownNode,
    nodes,
    reporting,
    podsStop,
    server,
    token,
  };
};

/** Pods outlive all else, so that they can be ended when nothing else goes on. */
const liveWithPods = async (running: Running, stop: AbortController): Promise<void> => {
  const { pods, podsStop, session } = running;
  const ended = pods.run(podsStop.signal).catch((error: unknown) => stop.abort(error));
  await live(running);
  session.reset();
  const { reason } = stop.signal as { readonly reason: unknown };
  if (reason instanceof AgentFault && reason.isVoid) await pods.abandon();
  podsStop.abort();
  await ended;
};

/** What an agent that is stopped by its user is stopped with. */
const STOPPED = Symbol('stopped');

/**
 * Runs until `signal` aborts. Rejects with an `AgentFault` if the agent cannot go on; when its Node was deleted, the node's pods have been
 * ended then.
 */
export const runAgent = async (
  options: AgentOptions,
  parts: AgentParts,
  signal: AbortSignal,
): Promise<void> => {
  const stop = new AbortController();
  signal.addEventListener('abort', () => stop.abort(STOPPED), { once: true });
  const { token, ...rest } = assembled(options, parts, stop);
  const { session, pods, clock, server } = rest;
  server.running = await startServing({
    ...options,
    session,
    pods,
    clock,
    log: parts.log,
    owner: () => token.current,
    token: () => token.current?.token ?? '',
  });
  try {
    const own = await joined(rest);
    if (!own) return;
    token.current = own;
    await liveWithPods({ ...rest, token: token as Running['token'] }, stop);
  } finally {
    server.running?.close();
  }
  if (stop.signal.reason !== STOPPED) throw stop.signal.reason;
};
