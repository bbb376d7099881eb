/**
 * What a control plane on AWS uses. Each comment names the part of `npm run bench` that prints a figure; "counted": `test/integration/stack/cost.int.test.ts`
 * counts it on the deployed stack. A read that finds nothing counts as AWS bills it.
 */
import { KEYS_MAX_AGE_MS } from '../../shared/adapters/secrets/key-rotation.ts';
import { DEFAULTS } from '../../shared/settings/defaults.ts';

/** Hours of a month, as AWS counts it. */
export const MONTH_SECONDS = 730 * 3_600;

/** GB of a function that answers or passes. */
export const FUNCTION_GB = 0.25;

/** `heartbeat`: 1 WRU; 1.0 ms of CPU with the SDK, which 0.145 of a core does in 7 ms, and the wait for DynamoDB. An answer has 400 to 900 B. */
export const BEAT = { seconds: 0.01, writes: 1, reads: 0, answerBytes: 650 };

/** `relay`: a batch of one part of a relay, and what it reads of each of its nodes each five minutes. */
export const BATCH = { nodes: 100, seconds: 0.02, writes: 1, reads: 2, memberReads: 1, memberSeconds: 300 };

/** Seconds between two batches of a part, however often its machines beat. */
export const BATCH_INTERVAL_SECONDS = DEFAULTS.heartbeatIntervalSeconds;

/** `rows`: a pass of the node monitor over 10,000 nodes at 256 MB. Reads, time and memory are linear. Counted: what each pass takes besides, most of it for shards without nodes. */
export const PASS = {
  nodes: 10_000,
  reads: 401,
  readsBehindRelays: 448,
  seconds: 0.85,
  own: { reads: 13, writes: 2, writesOfZone: 1 },
  /** It waits for its instant: a message may come a second before. */
  waitSeconds: 0.5,
  everySeconds: DEFAULTS.nodeLifecycle.nodeMonitorPeriodMs / 1000,
};

/** A tick of the node monitor that begins no pass. The twelve of a minute are sent in two requests. Counted, but for the time and what Lambda asks of the queue. */
export const TICK = { seconds: 0.01, writes: 0, reads: 2, sends: 1 / 6, receives: 1, deletes: 1 };

/** Five pollers that each wait 20 s. Nobody has measured it on an account; one report says that two poll if `MaximumConcurrency` is 2. */
export const POLLS_AN_HOUR = (5 * 3_600) / 20;

/** What a run of a schedule takes. */
export interface Run {
  readonly reads: number;
  readonly writes: number;
  /** RRU besides for each node. */
  readonly readsOfNode?: number;
}

/** Seconds of a run, most of them waits for DynamoDB. */
export const RUN_SECONDS = 0.05;

const NOTHING: Run = { reads: 1, writes: 0 };

/** Each run, by function and schedule. Counted, for what runs each minute; `gc`, `claim-units` and `pod-gc`: what grows with the nodes. Not counted: pods, workloads and volumes. */
export const RUNS: Readonly<Record<string, Run>> = {
  // One write is that of a pass, which notes each minute what it has told.
  'node-monitor ticks': { reads: 2, writes: 2 },
  'pods sweep': { reads: 12, writes: 0, readsOfNode: 0.04 },
  'pods pod-gc-sweep': { reads: 17, writes: 0, readsOfNode: 0.05 },
  // One in ten reads all Nodes.
  'pods drain-sweep': { reads: 3, writes: 0, readsOfNode: 0.05 },
  // Without a Hold.
  'pods hold-sweep': { reads: 2, writes: 0 },
  // One in sixty sweeps: 6 RRU a node.
  'pods capacity-sweep': { reads: 1, writes: 0, readsOfNode: 0.1 },
  'workloads namespace-sweep': { reads: 5, writes: 0 },
  'workloads garbage': { reads: 1, writes: 0 },
  'workloads garbage-sweep': NOTHING,
  'workloads budgetSweep': NOTHING,
  'workloads replica-set-resync': NOTHING,
  'workloads stateful-set-resync': NOTHING,
  'workloads deployment-resync': NOTHING,
  'workloads daemon-set-resync': NOTHING,
  'workloads job-resync': NOTHING,
  'scheduler flush': NOTHING,
  'volumes volume-binder-sweep': NOTHING,
  'volumes attach-detach-sweep': { reads: 1, writes: 0, readsOfNode: 0.5 },
  'change-router': { reads: 8, writes: 0, readsOfNode: 0.04 },
};

/** While there is no node, the rule of the ticks looks for one in each shard, and queues none. Counted. */
export const EMPTY_RUN: Run = { reads: 10, writes: 0 };

/** Alarms that auto scaling makes for write and for read units, four each: AWS's documentation, and nobody has counted them on an account. */
export const SCALING_ALARMS = 8;

/** Metrics that a calm fleet emits all month, besides signs of life. Counted. */
export const CALM_METRICS: readonly string[] = [
  'zone_size',
  'zone_health',
  'update_all_nodes_health_duration_seconds',
];

/** How many values a label has, besides that of zones, which the fleet says. */
export const LABEL_VALUES: Readonly<Record<string, number>> = {
  clusterCIDR: 1,
  namespace: 1,
  queue: 3,
  reason: 2,
  result: 3,
  storage_class: 1,
};

/** Bytes in the log. Counted. */
export const LOG_BYTES = { run: 265, pass: 265, passOfZone: 283 };

/** How often each environment that answers beats reads the public keys: 1 RRU. */
export const KEY_READS_AN_HOUR = 3_600_000 / KEYS_MAX_AGE_MS;

/** An agent with two idle pods, counted over 34 minutes: looks at its work an hour, what one takes, and reports of its status an hour. */
export const AGENT = { looksAnHour: 61, look: { seconds: 0.01, writes: 0, reads: 5 }, reportsAnHour: 11 };

/** Quotas and defaults of AWS and of the stack. */
export const QUOTA = {
  /** Requests a second of a function URL for each unit of concurrency. */
  requestsOfExecution: 10,
  /** `heartbeatReservedConcurrency`, unless it is set. */
  reserved: DEFAULTS.heartbeatReservedConcurrency,
  /** Executions at a time of an account and region, without asking. */
  executions: 1_000,
  /** Write units a second: of a new table, of one partition, of one table without asking. */
  newTableWrites: 4_000,
  partitionWrites: 1_000,
  tableWrites: 40_000,
};
