/** What a control plane on AWS uses: the figures that the bench measures. Each comment names the part of `npm run bench` that prints it. A contract test counts the write of a beat. */
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

/** `rows`: a pass of the node monitor over 10,000 nodes at 256 MB. Reads, time and memory are linear. */
export const PASS = {
  nodes: 10_000,
  reads: 401,
  readsBehindRelays: 448,
  seconds: 0.85,
  everySeconds: DEFAULTS.nodeLifecycle.nodeMonitorPeriodMs / 1000,
};

/** Metrics of each zone. */
export const ZONE_METRICS = 5;

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
