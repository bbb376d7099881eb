import type { CreateDeps } from '../../kinds/contract/create-deps.ts';
import type { BoundObject } from '../../kinds/contract/user.ts';
import type { StatusError } from '../../kube/errors/status-error.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { KeyUses } from '../../ports/outside/key-uses.ts';
import type { NodeFetch, NodeToAsk } from '../../ports/outside/node-fetch.ts';
import type { SigningKeys, VerifyingKeys } from '../../ports/outside/signing-keys.ts';
import type { Clock } from '../../ports/process/clock.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import type { CapacityStore } from '../../ports/store/capacity.ts';
import type { ControlStore } from '../../ports/store/control-store.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { ObjectStore } from '../../ports/store/object-store.ts';
import type { AdmissionConfig } from '../../settings/admission-plugins.ts';
import { DEFAULTS } from '../../settings/defaults.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import type { LeaseNews } from '../../store/beats/lease-news.ts';
import type { Lister } from '../../store/lists/lists.ts';
import type { ObjectWriter } from '../../store/writer/object-writer.ts';
import type { Watches } from '../feed/watches.ts';
import type { Call } from './call.ts';
import type { FlowControl } from './flow-control.ts';
import type { Again } from './http.ts';
import type { Pause } from './in-turns.ts';
import type { KnownBeats } from './known-beats.ts';
import type { SessionOpener } from './session.ts';
import type { TokenPayload } from './token-user.ts';
import type { VerifiedTokens } from './verified-tokens.ts';

/** Settings of an API server. `API_SERVER_DEFAULTS` has the defaults. */
export interface ApiServerConfig extends AdmissionConfig {
  /** Id of the cluster: the `iss` of its tokens. */
  readonly clusterId: string;
  /** Milliseconds without a heartbeat after which a node's conditions become Unknown. */
  readonly nodeMonitorGracePeriodMs: number;
  /** Heartbeat interval (seconds) that a sender is told if it names none. */
  readonly heartbeatIntervalSeconds: number;
  /** Milliseconds for which a heartbeat item is kept after its last heartbeat. */
  readonly heartbeatRetentionMs: number;
  /** Milliseconds for which Events are kept. */
  readonly eventRetentionMs: number;
  /** How the controllers decide about nodes: explanations call the same rules. */
  readonly nodeLifecycle: NodeLifecycleConfig;
  /** The `schedulerName` of the pods that are placed here; Kubernetes' default if absent. */
  readonly schedulerName?: string;
  /** Volumes stay with a node that does not answer. */
  readonly disableForceDetachOnTimeout?: boolean;
  /** Ranges of the cluster IPs of Services, of each family at most one; the first is that of a single-stack Service. */
  readonly serviceRanges: readonly string[];
  /** Whether the statuses of PodDisruptionBudgets are computed on each read; if not, the stored ones are used. */
  readonly computeBudgets: boolean;
}

/** Default settings. */
export const API_SERVER_DEFAULTS: Omit<ApiServerConfig, 'clusterId'> = {
  nodeMonitorGracePeriodMs: DEFAULTS.nodeLifecycle.nodeMonitorGracePeriodMs,
  heartbeatIntervalSeconds: DEFAULTS.heartbeatIntervalSeconds,
  heartbeatRetentionMs: DEFAULTS.heartbeatRetentionMs,
  defaultTolerationSeconds: DEFAULTS.defaultTolerationSeconds,
  enableAdmissionPlugins: [],
  eventRetentionMs: DEFAULTS.eventRetentionMs,
  nodeLifecycle: DEFAULTS.nodeLifecycle,
  serviceRanges: DEFAULTS.serviceRanges,
  computeBudgets: true,
};

/** A request that ended with an internal error. */
export interface RequestFailure {
  readonly method: string;
  readonly path: string;
  readonly at: EpochMs;
  readonly error: unknown;
}

/** Receives the causes of internal errors, which clients must not see. */
export interface FailureLog {
  requestFailed(failure: RequestFailure): void;
}

/** Dependencies of the server for heartbeats and Leases. */
export interface HeartbeatServerDeps {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly signingKeys: VerifyingKeys;
  readonly keyUses: KeyUses;
  /** Cache of verified tokens, to be shared by all servers of one process; without it each server has its own. */
  readonly verified?: VerifiedTokens<TokenPayload>;
  readonly config: ApiServerConfig;
  readonly logger: FailureLog;
  /** The kinds of objects that tokens may be bound to: those that this server may read. Absent: all. */
  readonly boundKinds?: readonly BoundObject['kind'][];
  /** Recognizes beats that are sent again; without it each one is read and checked anew. */
  readonly knownBeats?: KnownBeats;
  /** How a known beat is answered when it comes again, with the token that it was sent with; without it as any known beat. */
  readonly againOf?: (call: Call, token: string) => Again | undefined;
  /** Without it every request is served at once. */
  readonly flow?: FlowControl;
  /** For servers that answer several requests at a time: lets others have a turn between parts of long work. */
  readonly pause?: Pause;
  /** The error that clients are told for a failure that is not a `StatusError`; `undefined`: a plain 500. */
  readonly statusOf?: (error: unknown) => StatusError | undefined;
}

/** Dependencies of the whole API server. */
export interface ApiServerDeps extends HeartbeatServerDeps, Pick<CreateDeps, 'controllers'> {
  readonly signingKeys: SigningKeys;
  /** PEM of the authority that signed the API's certificate; absent if a public authority did. */
  readonly rootCa?: string;
  readonly control: ControlStore;
  /** Which pods each node has. */
  readonly capacity: Pick<CapacityStore, 'claimsAfter'>;
  readonly writer: ObjectWriter;
  readonly lister: Lister;
  readonly watches: Watches;
  /** Tells which Leases were written; without it, watches of Leases learn of changes by scans only. */
  readonly leaseNews?: LeaseNews;
  /** Connects clients with the servers of nodes; without it, requests for that name what does. */
  readonly sessions?: SessionOpener;
  /** Asks the servers of nodes; absent where they cannot be reached, as from a function. */
  readonly nodeFetch?: NodeFetch;
  /** Called for a node whose answer about its usage was too large, and why. */
  readonly onUsageTooLarge?: (node: NodeToAsk, why: string) => void;
}
