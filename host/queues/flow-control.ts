/**
 * Decides which requests run first and how many may be in flight: Kubernetes' API Priority and Fairness, with fixed levels.
 * Source: kubernetes v1.34 `apiserver/pkg/apis/flowcontrol/bootstrap`.
 */

import type { FlowControl, Place } from '../../shared/apiserver/contract/flow-control.ts';
import type { RequestHead } from '../../shared/apiserver/contract/http.ts';
import type { RequestInfo } from '../../shared/apiserver/contract/request-info.ts';
import { isHealthPath } from '../../shared/apiserver/discovery/health.ts';
import { isBeat } from '../../shared/apiserver/heartbeat-server.ts';
import { nodeNameOf, relayNameOf, type User } from '../../shared/kinds/contract/user.ts';
import { type StatusError, tooManyRequests } from '../../shared/kube/errors/status-error.ts';
import { USER_ANONYMOUS } from '../../shared/kube/types/well-known.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import {
  createKeyedPlaces,
  createPlaces,
  type Leave,
  takeAll,
} from '../../shared/serving/bodies/connection-limits.ts';
import type { MetricsRegistry } from '../../shared/serving/http/prometheus.ts';
import type { FlowLimits } from '../../shared/settings/host/host-limits.ts';
import { EXECUTING, LONG_RUNNING, REJECTED, WAITING } from '../figures/host-metrics.ts';
import { createSeats, type EventLoop, type Seats } from './seats.ts';
import { workBytesOf } from './work-bytes.ts';

/** Requests of `exempt` and `node-high` never wait. Each other level has seats of its own, for which its requests wait. */
type Level = 'exempt' | 'node-high' | 'system' | 'global-default' | 'catch-all' | 'identification';

/**
 * Seats of each level. Those of `global-default` are so many that a group of commits has those of many requests, which share a sync of
 * the disk. Everything runs on one thread: how much of it requests take from heartbeats is bounded by the time of a turn (`seats.ts`).
 */
const SEATS = { system: 1, 'global-default': 32, 'catch-all': 2, identification: 32 } as const;
/** Seats that one flow may have; of other levels all but one. */
const SEATS_OF_FLOW: Partial<Record<keyof typeof SEATS, number>> = { 'global-default': 28 };
/** Bytes of memory that executing requests with a body may use together, as `workBytesOf` counts them. */
export const WORK_BYTES = 134_217_728;
/** Bodies of heartbeats up to this size (bytes) do not count, so that a heartbeat never waits. It is ten times the usual size. */
const SMALL_BEAT = 4_096;
/** Longest wait of a request for a seat, ms. Kubernetes: a quarter of `--request-timeout`. */
const WAIT_MS = 15_000;
/** Heartbeats of one node in flight: one, and repetitions because an answer was late. */
const BEATS_OF_NODE = 8;
const REQUEST_RETRY_SECONDS = 1;
const WATCH_RETRY_SECONDS = 10;

export interface FlowControlDeps extends EventLoop {
  readonly limits: FlowLimits;
  readonly metrics: MetricsRegistry;
}

const levelOf = (info: RequestInfo, sender: User): Exclude<Level, 'identification'> => {
  if (info.kind === 'path' && isHealthPath(info.path)) return 'exempt';
  if (isBeat(info) && (nodeNameOf(sender) ?? relayNameOf(sender)) !== undefined) return 'node-high';
  if (sender.name === USER_ANONYMOUS) return 'catch-all';
  return info.kind === 'path' && info.path === '/metrics' ? 'system' : 'global-default';
};

const requestsRefused = (whose: string, most: number): StatusError =>
  tooManyRequests(
    `${whose} ${most} requests in flight, which is the limit; please try again later`,
    REQUEST_RETRY_SECONDS,
  );
const watchesRefused = (whose: string, most: number): StatusError =>
  tooManyRequests(
    `${whose} ${most} watches or streams open, which is the limit; let clients share watches`,
    WATCH_RETRY_SECONDS,
  );

const placesOf = ({ requests, watches }: FlowLimits) => ({
  all: createPlaces(requests.all, () => requestsRefused('the server has', requests.all)),
  ofIdentity: createKeyedPlaces(requests.perIdentity, (name) =>
    requestsRefused(`${name} has`, requests.perIdentity),
  ),
  ofAddress: createKeyedPlaces(requests.perAddress, (address) =>
    requestsRefused(`the address ${address} has`, requests.perAddress),
  ),
  ofNode: createKeyedPlaces(BEATS_OF_NODE, (name) => requestsRefused(`${name} has`, BEATS_OF_NODE)),
  watchesOfIdentity: createKeyedPlaces(watches.perIdentity, (name) =>
    watchesRefused(`${name} has`, watches.perIdentity),
  ),
  watchesOfAddress: createKeyedPlaces(watches.perAddress, (address) =>
    watchesRefused(`the address ${address} has`, watches.perAddress),
  ),
});

type Takes = readonly (() => Leave)[];

/** Source: kubernetes v1.34 `BasicLongRunningRequestCheck` with kube-apiserver's subresources. */
const LASTING: ReadonlySet<string> = new Set(['attach', 'channel', 'exec', 'log', 'portforward', 'proxy']);

/** Whether the answer may go on for hours: a watch, or bytes of a node, which are a session and limited as such, too. */
const isLongRunning = (info: RequestInfo): boolean =>
  info.kind === 'resource' && (info.verb === 'watch' || LASTING.has(info.subresource));

/** The flow of a request. Anonymous senders share a name, so their address tells them apart. */
const flowOf = (level: Level, { name }: User, address: string): string =>
  level === 'catch-all' ? address : name;

const createPlaceTaker = (limits: FlowLimits) => {
  const places = placesOf(limits);
  return (level: Level, info: RequestInfo, flow: string, address: string): Takes => {
    if (level === 'exempt') return [];
    if (level === 'node-high') return [() => places.ofNode.take(flow)];
    if (isLongRunning(info))
      return [() => places.watchesOfIdentity.take(flow), () => places.watchesOfAddress.take(address)];
    return [
      () => places.ofIdentity.take(flow),
      () => places.ofAddress.take(address),
      () => places.all.take(),
    ];
  };
};

/** What bounds the memory of requests with a body: each takes as many of these seats as it may take bytes. */
const createMemorySeats = ({ metrics, limits: _limits, ...loop }: FlowControlDeps): Seats => {
  const onTimeout = (): void => metrics.add(REJECTED, { priority_level: 'bodies', reason: 'time-out' });
  return createSeats({ ...loop, seats: WORK_BYTES, waitMs: WAIT_MS, onTimeout });
};

const takesMemory = (level: Level, bodyBytes: number): boolean =>
  level !== 'exempt' && bodyBytes > (level === 'node-high' ? SMALL_BEAT : 0);

const createLevelSeats = ({
  metrics,
  limits: _limits,
  ...loop
}: FlowControlDeps): Readonly<Record<string, Seats>> =>
  Object.fromEntries(
    Object.entries(SEATS).map(([level, seats]) => {
      const onTimeout = (): void => metrics.add(REJECTED, { priority_level: level, reason: 'time-out' });
      const ofFlow = optional('seatsOfFlow', SEATS_OF_FLOW[level as keyof typeof SEATS]);
      return [level, createSeats({ ...loop, seats, ...ofFlow, waitMs: WAIT_MS, onTimeout })];
    }),
  );

export interface HostFlowControl extends FlowControl {
  /** Updates the metrics of executing and waiting requests, and of open watches. */
  record(): void;
}

/**
 * The flow control of one host. A request counts until its signal is aborted: its answer was sent, or its client has gone.
 */
export const createFlowControl = (deps: FlowControlDeps): HostFlowControl => {
  const { limits, metrics } = deps;
  const seats = createLevelSeats(deps);
  const memory = createMemorySeats(deps);
  const takesOf = createPlaceTaker(limits);
  let watches = 0;

  const refused = (level: Level): void =>
    metrics.add(REJECTED, { priority_level: level, reason: 'concurrency-limit' });

  const hold = (signal: AbortSignal, info: RequestInfo, leave: Leave): void => {
    const counted = Number(isLongRunning(info));
    watches += counted;
    const end = (): void => {
      watches -= counted;
      leave();
    };
    if (signal.aborted) end();
    else signal.addEventListener('abort', end, { once: true });
  };

  const take = (level: Level, takes: Takes): Leave => {
    try {
      return takeAll(takes);
    } catch (error) {
      refused(level);
      throw error;
    }
  };

  const placeAt = (level: Level, flow: string, signal: AbortSignal | undefined): Place => ({
    run: (work, bodyBytes = 0) => {
      const atSeat = () => seats[level]?.run(flow, work, signal) ?? work();
      // Memory comes first: whoever waits for it keeps no seat from others.
      return takesMemory(level, bodyBytes)
        ? memory.run(flow, atSeat, signal, workBytesOf(bodyBytes))
        : atSeat();
    },
  });

  return {
    identify: ({ address = '', signal }, work) => {
      const { identification } = seats;
      if (!identification || identification.waiting() < limits.requests.all)
        return placeAt('identification', address, signal).run(work);
      refused('identification');
      throw requestsRefused('the server has', limits.requests.all);
    },
    enter: ({ signal, address = '' }: RequestHead, info, sender) => {
      const level = levelOf(info, sender);
      const flow = flowOf(level, sender, address);
      const leave = take(level, takesOf(level, info, flow, address));
      if (signal) hold(signal, info, leave);
      return placeAt(level, flow, signal);
    },
    record: () => {
      for (const [level, { executing, waiting }] of Object.entries(seats)) {
        metrics.set(EXECUTING, { priority_level: level }, executing());
        metrics.set(WAITING, { priority_level: level }, waiting());
      }
      metrics.set(LONG_RUNNING, {}, watches);
    },
  };
};
