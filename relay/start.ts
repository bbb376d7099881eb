/** Starts a relay: a folder with its CA, a listener for the machines of a site, and the sender of their batches. */
import { resolve } from 'node:path';
import { type GatewayLimits, listenerLimits } from '../gateway/forward/admission.ts';
import { reportingReachability } from '../gateway/forward/reachability.ts';
import { createGatewayServe } from '../gateway/serve.ts';
import { createUpstream } from '../gateway/upstream/upstream.ts';
import { systemClock as clock } from '../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../shared/adapters/system/id-source.ts';
import { ensurePrivateFolder } from '../shared/adapters/system/private-files.ts';
import { createSteadyClock } from '../shared/adapters/system/steady-clock.ts';
import type { RequestHead } from '../shared/apiserver/contract/http.ts';
import { tooManyRequests } from '../shared/kube/errors/status-error.ts';
import { COMMAND } from '../shared/kube/json/answer-bounds.ts';
import { optional } from '../shared/kube/values/optional.ts';
import { createKeyedPlaces, type Leave } from '../shared/serving/bodies/connection-limits.ts';
import { type ListenerLimits, startListener } from '../shared/serving/http/listener.ts';
import { folderProblem, listenProblem } from '../shared/serving/http/problem.ts';
import { ensureCertificates, pathsOf, readIfThere, writePrivately } from '../shared/serving/machine/files.ts';
import type { HostLog } from '../shared/serving/machine/host-log.ts';
import { beatingNode } from './beat-request.ts';
import { createBeatRoute } from './beat-route.ts';
import { createSender } from './sender.ts';
import { shownToken } from './shown-token.ts';
import { createSite, type Site } from './site.ts';
import type { TokenFile } from './token-file.ts';
import { createTokenRenewal } from './token-renewal.ts';

export interface RelayOptions {
  readonly name: string;
  /** Address of the API. */
  readonly url: URL;
  /** Address for heartbeats. */
  readonly beats: URL;
  /** Certificate of the CA of both, PEM; `undefined` for a public CA. */
  readonly ca: string | undefined;
  /** The relay's own token. */
  readonly token: TokenFile;
  /** Address to listen on. */
  readonly listen: string;
  readonly port: number;
  /** Further names of the relay in its certificate. */
  readonly names: readonly string[];
  readonly folder: string;
  readonly hostLog: HostLog;
}

export interface RunningRelay {
  readonly port: number;
  /** Path of the certificate of the relay's CA. */
  readonly caFile: string;
  stop(): Promise<void>;
}

/** Longer than the longest poll of the API. */
const UPSTREAM_TIMEOUT_MS = 90_000;
/** A batch or beat that takes longer is given up: its ages are no longer true. */
const BEAT_TIMEOUT_MS = 5_000;
const UPSTREAM_SOCKETS = 128;
const DRAIN_MS = 2_000;
const TICK_MS = 200;

/** Each machine keeps a connection or two. */
const LIMITS: GatewayLimits = { requests: 2_048, watches: 2_000, selections: 256, connections: 24_000 };

/**
 * The machines that the relay knows compete with nobody: a stranger cannot take more than half of the connections, and no place of a beat.
 */
const LISTENER_LIMITS: ListenerLimits = {
  ...listenerLimits(LIMITS),
  connections: { all: 24_000, perAddress: Infinity, perIdentity: 256, unauthenticated: 12_000 },
};

/** Beats of one node in flight: one, and repetitions because an answer was late. */
const BEATS_OF_NODE = 8;
const RETRY_SECONDS = 1;

const prepare = async ({ folder, listen, names }: RelayOptions) => {
  const paths = pathsOf(folder);
  try {
    ensurePrivateFolder(folder);
    return { paths, certificates: await ensureCertificates(paths, listen, names, clock.now()) };
  } catch (error) {
    throw folderProblem(error, folder);
  }
};

const upstreamsOf = ({ url, beats, ca, hostLog }: RelayOptions) => {
  const options = { ...optional('ca', ca), maxSockets: UPSTREAM_SOCKETS, bounds: COMMAND };
  return {
    api: createUpstream({ ...options, url, timeoutMs: UPSTREAM_TIMEOUT_MS }),
    beats: reportingReachability(
      createUpstream({ ...options, url: beats, timeoutMs: BEAT_TIMEOUT_MS }),
      hostLog,
    ),
  };
};

/** Calls `work` again and again until it is stopped. */
const repeatedly = (work: () => Promise<void>, onError: (error: unknown) => void): (() => void) => {
  const timer = setInterval(() => void work().catch(onError), TICK_MS);
  return () => clearInterval(timer);
};

const fileIn = (folder: string): string => resolve(folder, 'parts.json');

/**
 * The part of each node in the last run; empty if there was none, or if the file is damaged. Only a hint: without it, a node
 * that finds its part full gets another part.
 */
const readHomes = (folder: string): Map<string, number> => {
  try {
    const stored: unknown = JSON.parse(readIfThere(fileIn(folder)) ?? '{}');
    const entries = Object.entries(stored as Readonly<Record<string, unknown>>);
    return new Map(entries.filter((one): one is [string, number] => Number.isSafeInteger(one[1])));
  } catch {
    return new Map();
  }
};

/** Stores the parts if they are others than those that are stored. */
const writeHomes = (folder: string, parts: ReadonlyMap<string, number>): void => {
  const text = `${JSON.stringify(Object.fromEntries(parts))}\n`;
  if (readIfThere(fileIn(folder)) !== text) writePrivately(fileIn(folder), text);
};

/** Recognizes the machines of the relay before their requests are read, so that nobody else can keep their beats out. */
export const createKnownSenders = (site: Pick<Site, 'find'>) => {
  const places = createKeyedPlaces(BEATS_OF_NODE, (node) =>
    tooManyRequests(`${node} has ${BEATS_OF_NODE} beats in flight, which is the limit`, RETRY_SECONDS),
  );
  return {
    /** The place of a beat of a node that the relay knows; `undefined` for all other requests. Throws 429. */
    placeOf: (request: RequestHead): Leave | undefined => {
      const shown = shownToken(request.headers['authorization']);
      const node = shown && site.find(shown);
      if (!node) return undefined;
      request.onSender?.(node.name);
      return beatingNode(request) === node.name ? places.take(node.name) : undefined;
    },
  };
};

/** Starts a relay. Resolves when it listens. Rejects with a `HostProblem`. */
export const startRelay = async (options: RelayOptions): Promise<RunningRelay> => {
  const { name, token, listen, port, hostLog } = options;
  const { paths, certificates } = await prepare(options);
  const upstreams = upstreamsOf(options);
  const steady = createSteadyClock();
  const parts = readHomes(paths.folder);
  const site = createSite({ parts, now: steady.now, wall: clock.now });
  const { now } = steady;
  const sender = createSender({
    relay: name,
    site,
    upstream: upstreams.beats,
    token: token.current,
    now,
    hostLog,
  });
  const renewal = createTokenRenewal({ relay: name, file: token, upstream: upstreams.api, now, hostLog });
  const beats = createBeatRoute({ site, upstream: upstreams.beats, clock });
  const serve = createGatewayServe(
    {
      upstream: upstreams.api,
      hostLog,
      clock,
      random: ids.random,
      limits: LIMITS,
      placeOf: createKnownSenders(site).placeOf,
    },
    [beats],
  );
  const onError = (error: unknown) => hostLog.warn('the relay has failed', { error });
  const tls = certificates.server;
  const listener = await startListener({
    serve,
    tls,
    host: listen,
    port,
    limits: LISTENER_LIMITS,
    onError,
    repeats: { onOff: (line) => hostLog.warn(line) },
  }).catch((error: unknown) => {
    throw listenProblem(error, listen, port, '--port');
  });
  const stopSending = repeatedly(sender.tick, onError);
  const stopRenewing = repeatedly(renewal.tick, onError);
  const stopKeeping = setInterval(() => writeHomes(paths.folder, parts), 10_000);
  return {
    port: listener.port,
    caFile: paths.caCertificate,
    stop: async () => {
      stopSending();
      stopRenewing();
      clearInterval(stopKeeping);
      writeHomes(paths.folder, parts);
      await listener.stop(DRAIN_MS);
      upstreams.api.close();
      upstreams.beats.close();
    },
  };
};
