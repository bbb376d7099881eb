import { NODE_LEASE_NAMESPACE } from '../../shared/api/well-known.ts';
import { nodeKey } from '../../shared/ports/rows.ts';
import { aLease, change } from '../contract/builders.ts';
import type { DynamoBench, Meter } from './dynamodb.ts';
import { onDynamoDb } from './dynamodb.ts';
import type { Bench, Figure } from './figures.ts';
import { HEARTBEAT_EXPIRES_AT, nodeName, T0, uidOf } from './fleet.ts';

const NODE = nodeName(1);
const UID = uidOf(NODE);
const KEY = { namespace: NODE_LEASE_NAMESPACE, name: NODE };
const INTERVAL_MS = 10_000;
const expiry = { expiresAt: HEARTBEAT_EXPIRES_AT };
const TIME = new Date(T0).toISOString();
const TIMES = { Ready: TIME, MemoryPressure: TIME, DiskPressure: TIME, PIDPressure: TIME };

type Beat = (at: number) => Promise<{ readonly outcome: string }>;

/** One of each kind, in the order in which instants go forward. */
const beats = ({ stores: { heartbeats } }: DynamoBench): Readonly<Record<string, Beat>> => ({
  'plain beat': (at) => heartbeats.beat({ node: NODE, uid: UID, source: 'plain', at, ...expiry }),
  'status-only beat': (at) =>
    heartbeats.beat({ node: NODE, uid: UID, source: 'status', at, times: TIMES, ...expiry }),
  'Lease renewal': (at) =>
    heartbeats.writeLease({ key: KEY, lease: aLease(NODE, UID), expected: T0, nodeUid: UID, at, ...expiry }),
});

const prepare = async ({ stores }: DynamoBench): Promise<void> => {
  const heartbeat = { effect: 'adopt', node: NODE, uid: UID, ...expiry } as const;
  await change(stores.objects, { key: nodeKey(NODE), uid: UID, heartbeat });
  await stores.heartbeats.writeLease({ key: KEY, lease: aLease(NODE, UID), at: T0, ...expiry });
};

const unitsOf = async (name: string, beat: Beat, at: number, meter: Meter): Promise<readonly Figure[]> => {
  meter.take();
  const { outcome } = await beat(at);
  if (outcome !== 'accepted' && outcome !== 'stored') throw new Error(`${name}: ${outcome}`);
  const { writeUnits, readUnits } = meter.take();
  return [
    { name, unit: 'WRU', value: writeUnits, target: { atMost: 1 } },
    { name, unit: 'RRU', value: readUnits, target: { atMost: 0 } },
  ];
};

/** What each way of answering the roll call costs. */
export const heartbeatUnits: Bench = () =>
  onDynamoDb(async (bench) => {
    await prepare(bench);
    const figures: Figure[] = [];
    for (const [index, [name, beat]] of Object.entries(beats(bench)).entries())
      figures.push(...(await unitsOf(name, beat, T0 + (index + 1) * INTERVAL_MS, bench.meter)));
    return figures;
  });
