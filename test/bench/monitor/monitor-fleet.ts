/**
 * Runs in a process of its own, so that its memory is that of a pass: passes of the node monitor over a fleet in memory,
 * or in the tables of DynamoDB Local. Prints a `FleetReport`.
 */
import { parseArgs } from 'node:util';
import {
  NODE_MONITOR_DEFAULTS,
  type NodeMonitorDeps,
  runPass,
} from '../../../lambdas/node-monitor/reconcile.ts';
import { createMemoryEventBus } from '../../../shared/adapters/memory/event-bus.ts';
import { createMemoryState } from '../../../shared/adapters/memory/state.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { createEventRecorder } from '../../../shared/store/events/event-recorder.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { setPolicy } from '../../support/planes/fleet.ts';
import { aLease } from '../../support/stores/builders.ts';
import { dynamoStoresOver } from '../dynamodb/dynamodb-client.ts';
import { aKubeletNode, HEARTBEAT_EXPIRES_AT, nodeName, uidOf } from '../fleet/fleet.ts';

export interface FleetReport {
  readonly passMs: readonly number[];
  /** MB after a garbage collection, with and without what the passes left. */
  readonly heapBeforeMb: number;
  readonly heapAfterMb: number;
  /** MB, of the whole life of the process. */
  readonly peakRssMb: number;
  /** Of the pass in which a zone fell silent. */
  readonly flips?: { readonly count: number; readonly ms: number };
}

const ZONE_SIZE = 1_000;
const PERIOD_MS = NODE_MONITOR_DEFAULTS.nodeMonitorPeriodMs;
const SILENCE_MS = NODE_MONITOR_DEFAULTS.nodeMonitorGracePeriodMs + PERIOD_MS;
const MB = 2 ** 20;

const { values } = parseArgs({
  options: {
    nodes: { type: 'string', default: '1000' },
    passes: { type: 'string', default: '7' },
    policies: { type: 'string', default: '0' },
    endpoint: { type: 'string' },
    tables: { type: 'string', default: '{}' },
  },
});
const nodes = Number(values.nodes);
const passes = Number(values.passes);

let ahead = 0;
/** The machine's clock, moved forward instead of waited for. */
const clock: Clock = { ...systemClock, now: () => Date.now() + ahead };

const stores =
  values.endpoint === undefined
    ? createMemoryState()
    : dynamoStoresOver(values.endpoint, JSON.parse(values.tables));
const writer = createObjectWriter({ ...stores, clock, ids: systemIds });
const deps: NodeMonitorDeps = {
  ...stores,
  clock,
  ids: systemIds,
  writer,
  recorder: createEventRecorder({ writer, ids: systemIds }),
  queues: { send: async () => undefined },
  bus: createMemoryEventBus(),
  config: NODE_MONITOR_DEFAULTS,
};
const heartbeats: HeartbeatStore = stores.heartbeats;

let renewedAt: number | undefined;

const renewFrom = async (first: number): Promise<void> => {
  const at = clock.now();
  const expected = renewedAt === undefined ? {} : { expected: renewedAt };
  for (let index = first; index < nodes; index += 1) {
    const name = nodeName(index);
    const key = { namespace: NODE_LEASE_NAMESPACE, name };
    const lease = aLease(name, uidOf(name));
    await heartbeats.writeLease({ key, lease, at, ...expected, expiresAt: HEARTBEAT_EXPIRES_AT });
  }
  renewedAt = at;
};

const register = async (): Promise<void> => {
  for (let index = 0; index < nodes; index += 1) {
    const zone = `us-east-1-${Math.floor(index / ZONE_SIZE)}`;
    const next = aKubeletNode(nodeName(index), { images: 0, zone, at: clock.now() });
    await writer.write(nodeKey(next.metadata.name), () => ({ next, writer: 'client' }));
  }
  await renewFrom(0);
};

/** Policies that select by labels no node has: each of them is asked about each node. */
const addPolicies = async (): Promise<void> => {
  for (let index = 0; index < Number(values.policies); index += 1)
    await setPolicy({ writer }, `policy${index}`, {
      nodeSelector: { matchLabels: { pool: `pool${index}` } },
      nodeMonitorGracePeriodSeconds: 60,
    });
};

const timedPass = async (): Promise<{ readonly ms: number; readonly flips: number }> => {
  ahead += PERIOD_MS;
  // What the renewals left is not the pass's to collect.
  globalThis.gc?.();
  const startedAt = performance.now();
  const report = await runPass(deps, clock.now());
  const ms = performance.now() - startedAt;
  if (report.outcome !== 'done' || report.nodes !== nodes) throw new Error('the pass did not see the fleet');
  return { ms, flips: report.flips };
};

const heapMb = (): number => {
  globalThis.gc?.();
  return process.memoryUsage().heapUsed / MB;
};

/** Fleets of any size are measured by code that has been compiled: so many judgements come before. */
const WARM_UP_NODES = 100_000;

const steadyPasses = async (isInMemory: boolean): Promise<readonly number[]> => {
  const warmUp = isInMemory ? Math.max(1, Math.ceil(WARM_UP_NODES / nodes)) : 1;
  for (let pass = 0; pass < warmUp; pass += 1) {
    // Nobody may fall silent while time is moved on.
    if (isInMemory) await renewFrom(0);
    await timedPass();
  }
  const times: number[] = [];
  for (let pass = 0; pass < passes; pass += 1) {
    if (isInMemory) await renewFrom(0);
    times.push((await timedPass()).ms);
  }
  return times;
};

const silenceZone = async (): Promise<NonNullable<FleetReport['flips']>> => {
  ahead += SILENCE_MS;
  await renewFrom(ZONE_SIZE);
  const { ms, flips } = await timedPass();
  return { count: flips, ms };
};

const isInMemory = values.endpoint === undefined;
if (isInMemory) await register();
await addPolicies();
const heapBeforeMb = heapMb();
const passMs = await steadyPasses(isInMemory);
const heapAfterMb = heapMb();
const peakRssMb = process.resourceUsage().maxRSS / 1024;
const flips = isInMemory && nodes > ZONE_SIZE ? { flips: await silenceZone() } : {};
const report: FleetReport = { passMs, heapBeforeMb, heapAfterMb, peakRssMb, ...flips };
process.stdout.write(JSON.stringify(report), () => process.exit());
