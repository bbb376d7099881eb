import type { StatusError } from '../api/status-error.ts';
import type { EpochMs } from '../api/time.ts';
import { NODE_LIFECYCLE_DEFAULTS } from '../config/node-lifecycle.ts';
import type { Clock } from '../ports/clock.ts';
import type { ControlStore } from '../ports/control-store.ts';
import type { HeartbeatStore } from '../ports/heartbeats.ts';
import type { IdSource } from '../ports/id-source.ts';
import type { KeyUses } from '../ports/key-uses.ts';
import type { ObjectLog } from '../ports/object-log.ts';
import type { SigningKeys } from '../ports/signing-keys.ts';
import type { LeaseNews } from '../state/lease-news.ts';
import type { Lister } from '../state/lists.ts';
import type { ObjectWriter } from '../state/object-writer.ts';
import type { TokenPayload } from './access/token-user.ts';
import type { VerifiedTokens } from './access/verified-tokens.ts';
import type { Pause } from './answer/in-turns.ts';
import type { FlowControl } from './flow-control.ts';
import type { Watches } from './watch/watches.ts';

export interface ApiServerConfig {
  /** `iss` of the tokens. */
  readonly clusterId: string;
  /** Milliseconds without a sign of life after which a node is marked Unknown. */
  readonly nodeMonitorGracePeriodMs: number;
  /** Seconds between heartbeats that a sender without a wish of its own is told. */
  readonly heartbeatIntervalSeconds: number;
  /** Milliseconds for which a heartbeat item outlives its last beat. */
  readonly heartbeatRetentionMs: number;
  /** Seconds that pods tolerate not-ready and unreachable. Kubernetes: `--default-not-ready-toleration-seconds` 300. */
  readonly defaultTolerationSeconds: number;
  /** Milliseconds for which Events are kept. Kubernetes: `--event-ttl` 1 h. */
  readonly eventRetentionMs: number;
  /** Whether statuses of PodDisruptionBudgets are computed when asked for; else the stored ones count. */
  readonly computeBudgets: boolean;
}

export const API_SERVER_DEFAULTS: Omit<ApiServerConfig, 'clusterId'> = {
  nodeMonitorGracePeriodMs: NODE_LIFECYCLE_DEFAULTS.nodeMonitorGracePeriodMs,
  heartbeatIntervalSeconds: 10,
  heartbeatRetentionMs: 24 * 60 * 60_000,
  defaultTolerationSeconds: 300,
  eventRetentionMs: 60 * 60_000,
  computeBudgets: true,
};

/** What happened to a request that ended with an error of ours. */
export interface RequestFailure {
  readonly method: string;
  readonly path: string;
  readonly at: EpochMs;
  readonly error: unknown;
}

/** Receives causes that clients must not see. */
export interface FailureLog {
  requestFailed(failure: RequestFailure): void;
}

/** What heartbeats and leases need. */
export interface HeartbeatServerDeps {
  readonly log: ObjectLog;
  readonly heartbeats: HeartbeatStore;
  readonly clock: Clock;
  readonly ids: IdSource;
  readonly signingKeys: SigningKeys;
  readonly keyUses: KeyUses;
  /** Shared by all servers of one process; each has its own otherwise. */
  readonly verified?: VerifiedTokens<TokenPayload>;
  readonly config: ApiServerConfig;
  readonly logger: FailureLog;
  /** Without one every request is served at once. */
  readonly flow?: FlowControl;
  /** For servers that answer several requests at a time: lets others have a turn between parts of long work. */
  readonly pause?: Pause;
  /** What clients may be told of a failure that is no `StatusError`; `undefined`: nothing but that it failed. */
  readonly statusOf?: (error: unknown) => StatusError | undefined;
}

export interface ApiServerDeps extends HeartbeatServerDeps {
  /** `none`: what controllers would do about deleted owners and namespaces is not done. */
  readonly controllers?: 'all' | 'none';
  /** The authority that signed the API's certificate, as PEM; nothing where a public one did. */
  readonly rootCa?: string;
  readonly control: ControlStore;
  readonly writer: ObjectWriter;
  readonly lister: Lister;
  readonly watches: Watches;
  /** Which Leases were written; without it their watches scan the roll call only. */
  readonly leaseNews?: LeaseNews;
}
