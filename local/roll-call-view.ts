/** What the roll-call table shows, read from the stored state. */
import type { Node, Pod, Taint } from '../shared/api/core.ts';
import type { EpochMs } from '../shared/api/time.ts';
import { NODE_LEASE_NAMESPACE } from '../shared/api/well-known.ts';
import type { NodeHealthRow } from '../shared/domain/node-health.ts';
import { taintsOf } from '../shared/domain/taints.ts';
import { zoneIdOf } from '../shared/domain/zones.ts';
import type { ControlStore, PodDeadline, ZoneRecord } from '../shared/ports/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../shared/ports/heartbeats.ts';
import type { ObjectLog } from '../shared/ports/object-log.ts';

export interface NodeLine {
  readonly zone: string;
  readonly name: string;
  /** `-` as long as nobody has said. */
  readonly ready: 'True' | 'False' | 'Unknown' | '-';
  /** Milliseconds since the last beat; `undefined`: there never was one. */
  readonly beatAgeMs: number | undefined;
  /** `unreachable:NoSchedule`. */
  readonly taints: readonly string[];
  readonly pods: number;
  /** Pods that are terminating. */
  readonly leaving: number;
}

export interface RollCall {
  readonly now: EpochMs;
  readonly nodes: readonly NodeLine[];
  readonly zones: readonly ZoneRecord[];
  readonly deadlines: readonly PodDeadline[];
  /** Before this instant evictions rest; 0: they do not. */
  readonly quietUntil: EpochMs;
}

export interface ViewDeps {
  readonly log: Pick<ObjectLog, 'read' | 'nodeHealth' | 'podsByNode'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones' | 'dueDeadlines'>;
}

const END_OF_TIME = 8_640_000_000_000_000;

const readHealth = async ({ log }: ViewDeps): Promise<readonly NodeHealthRow[]> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of log.nodeHealth()) rows.push(...value);
  return rows;
};

const readBeats = async ({ heartbeats }: ViewDeps): Promise<ReadonlyMap<string, HeartbeatItem>> => {
  const items = new Map<string, HeartbeatItem>();
  for await (const { value } of heartbeats.scan())
    for (const item of value) if (item.namespace === NODE_LEASE_NAMESPACE) items.set(item.name, item);
  return items;
};

const taintText = ({ key, effect }: Taint): string => `${key.split('/').at(-1) ?? key}:${effect}`;

const readTaints = async ({ log }: ViewDeps, name: string): Promise<readonly string[]> => {
  const row = await log.read({ resource: 'nodes', namespace: '', name });
  return row?.state === 'live' ? taintsOf(row.object as Node).map(taintText) : [];
};

const lineOf = async (
  deps: ViewDeps,
  row: NodeHealthRow,
  item: HeartbeatItem | undefined,
  now: EpochMs,
): Promise<NodeLine> => {
  const { value: rows } = await deps.log.podsByNode(row.name);
  const pods = rows.map(({ object }) => object as Pod);
  const leaving = pods.filter(({ metadata }) => metadata.deletionTimestamp !== undefined).length;
  const observedAt = item?.uid === row.uid ? item.observedAt : undefined;
  return {
    zone: zoneIdOf(row.zone),
    name: row.name,
    ready: row.ready ?? '-',
    beatAgeMs: observedAt === undefined ? undefined : Math.max(0, now - observedAt),
    taints: await readTaints(deps, row.name),
    pods: pods.length - leaving,
    leaving,
  };
};

const byZoneAndName = (a: NodeLine, b: NodeLine): number =>
  a.zone.localeCompare(b.zone) || a.name.localeCompare(b.name, 'en', { numeric: true });

/** Everything at the instant `now` (ms). */
export const readRollCall = async (deps: ViewDeps, now: EpochMs, quietUntil: EpochMs): Promise<RollCall> => {
  const [rows, items, zones, deadlines] = await Promise.all([
    readHealth(deps),
    readBeats(deps),
    deps.control.zones(),
    deps.control.dueDeadlines(END_OF_TIME),
  ]);
  const nodes = await Promise.all(rows.map((row) => lineOf(deps, row, items.get(row.name), now)));
  return {
    now,
    nodes: nodes.toSorted(byZoneAndName),
    zones: zones.toSorted((a, b) => a.id.localeCompare(b.id)),
    deadlines: deadlines.value,
    quietUntil,
  };
};
