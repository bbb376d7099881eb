/** Reads from the stored state what the roll-call table shows. */
import type { Pod, Taint } from '../../shared/api/core.ts';
import { printable } from '../../shared/api/printable.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/api/well-known.ts';
import type { NodeHealthRow } from '../../shared/domain/nodes/node-health.ts';
import { taintsOf } from '../../shared/domain/nodes/taints.ts';
import { firstTolerating } from '../../shared/domain/pods/tolerations.ts';
import { relayedBeats } from '../../shared/domain/relays/relayed-beats.ts';
import { zoneNameOf } from '../../shared/domain/zones/zones.ts';
import type { ControlStore, PodDeadline, ZoneRecord } from '../../shared/ports/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../shared/ports/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/object-store.ts';
import { partsIn, withRelayed } from '../../shared/state/relayed-items.ts';
import { readWork, type WorkView } from './work-view.ts';

/** A pod that will be deleted because of its node's NoExecute taints. */
export interface PodEviction {
  readonly name: string;
  /** When it will be deleted. */
  readonly fireAt: EpochMs;
  /** The toleration that decides, such as `tolerates unreachable for 15 s`. */
  readonly reason: string;
}

/** A node as the table shows it. Its texts have no control characters. */
export interface NodeLine {
  /** Name of the zone by its labels. */
  readonly zone: string;
  readonly name: string;
  /** `-` until Ready is first reported. */
  readonly ready: 'True' | 'False' | 'Unknown' | '-';
  /** Milliseconds since the last beat; `undefined` if there was none. */
  readonly beatAgeMs: number | undefined;
  /** Key without prefix, and effect, such as `unreachable:NoSchedule`. */
  readonly taints: readonly string[];
  /** Number of pods that are not terminating. */
  readonly pods: number;
  /** Names of pods that are terminating. */
  readonly leaving: readonly string[];
  /** Pods with a valid deadline. */
  readonly evictions: readonly PodEviction[];
}

/** A zone: its nodes are counted now; state and rate are those of the last pass. */
export interface ZoneLine {
  readonly name: string;
  readonly state: ZoneRecord['state'];
  /** Number of nodes. */
  readonly size: number;
  /** Number of nodes that are ready. */
  readonly ready: number;
  /** Nodes per second that may get a NoExecute taint. */
  readonly rate: number;
  /** When the next node may get one. */
  readonly nextAt: EpochMs;
  /** Names of nodes that wait for one. */
  readonly waiting: readonly string[];
}

/** Everything that the table shows, read at `now` (ms). */
export interface RollCall extends WorkView {
  readonly now: EpochMs;
  readonly nodes: readonly NodeLine[];
  readonly zones: readonly ZoneLine[];
  /** Evictions are paused until this instant; 0 if they are not paused. */
  readonly quietUntil: EpochMs;
}

export interface ViewDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'nodeHealth' | 'podsByNode' | 'page' | 'unboundPods'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones' | 'dueDeadlines'>;
}

const END_OF_TIME = 8_640_000_000_000_000;

const readHealth = async ({ objects }: ViewDeps): Promise<readonly NodeHealthRow[]> => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth()) rows.push(...value);
  return rows;
};

const readBeats = async (
  { heartbeats }: ViewDeps,
  now: EpochMs,
): Promise<ReadonlyMap<string, HeartbeatItem>> => {
  const items: HeartbeatItem[] = [];
  for await (const { value } of heartbeats.scan()) items.push(...value);
  const relayed = relayedBeats(partsIn(items), now);
  const entries = items.filter(({ namespace }) => namespace === NODE_LEASE_NAMESPACE);
  return new Map(
    entries.map((item) => [
      item.name,
      withRelayed(item, item.name, relayed.get(`${item.name}/${item.uid ?? ''}`)) ?? item,
    ]),
  );
};

const keyText = (key: string): string => key.split('/').at(-1) ?? key;

const taintText = ({ key, effect }: Taint): string => printable(`${keyText(key)}:${effect}`);

const readTaints = async ({ objects }: ViewDeps, name: string): Promise<readonly Taint[]> => {
  const row = await objects.read({ resource: 'nodes', namespace: '', name });
  return row?.state === 'live' ? taintsOf(row.object) : [];
};

/** The toleration that decides how long the pod stays, as text. */
const reasonOf = ({ spec }: Pod, taints: readonly Taint[]): string => {
  const used = taints.map((taint) => ({ taint, toleration: firstTolerating(spec.tolerations ?? [], taint) }));
  const hated = used.find(({ toleration }) => toleration === undefined);
  if (hated) return `does not tolerate ${keyText(hated.taint.key)}`;
  const timed = used.flatMap(({ taint, toleration }) =>
    toleration?.tolerationSeconds === undefined ? [] : [{ taint, seconds: toleration.tolerationSeconds }],
  );
  const [shortest] = timed.toSorted((a, b) => a.seconds - b.seconds);
  return shortest ? `tolerates ${keyText(shortest.taint.key)} for ${shortest.seconds} s` : 'its timer ended';
};

const isLeaving = ({ metadata }: Pod): boolean => metadata.deletionTimestamp !== undefined;

/**
 * Pods with a valid deadline. A deadline is not valid if the node has come back, or if it is of an earlier pod of that
 * name.
 */
const evictionsOf = (
  pods: readonly Pod[],
  taints: readonly Taint[],
  deadlines: Deadlines,
): readonly PodEviction[] => {
  const evicting = taints.filter(({ effect }) => effect === 'NoExecute');
  if (evicting.length === 0) return [];
  return pods.flatMap((pod) => {
    const { namespace = '', name, uid } = pod.metadata;
    const deadline = deadlines.get(`${namespace}/${name}`);
    if (deadline === undefined || deadline.uid !== uid || isLeaving(pod)) return [];
    return [{ name: printable(name), fireAt: deadline.fireAt, reason: printable(reasonOf(pod, evicting)) }];
  });
};

type Deadlines = ReadonlyMap<string, PodDeadline>;

const lineOf = async (
  deps: ViewDeps,
  row: NodeHealthRow,
  item: HeartbeatItem | undefined,
  deadlines: Deadlines,
  now: EpochMs,
): Promise<NodeLine> => {
  const [{ value: rows }, taints] = await Promise.all([
    deps.objects.podsByNode(row.name),
    readTaints(deps, row.name),
  ]);
  const pods = rows.map(({ object }) => object as Pod);
  const leaving = pods.filter(isLeaving).map(({ metadata }) => printable(metadata.name));
  const observedAt = item?.uid === row.uid ? item.observedAt : undefined;
  return {
    zone: printable(zoneNameOf(row.zone)),
    name: printable(row.name),
    ready: row.ready ?? '-',
    beatAgeMs: observedAt === undefined ? undefined : Math.max(0, now - observedAt),
    taints: taints.map(taintText),
    pods: pods.length - leaving.length,
    leaving,
    evictions: evictionsOf(pods, taints, deadlines),
  };
};

const byZoneAndName = (a: NodeLine, b: NodeLine): number =>
  a.zone.localeCompare(b.zone) || a.name.localeCompare(b.name, 'en', { numeric: true });

const isNoExecute = (taint: string): boolean => taint.endsWith(':NoExecute');

const isWaiting = ({ ready, taints }: NodeLine): boolean =>
  (ready === 'Unknown' || ready === 'False') && !taints.some(isNoExecute);

/** Zones of the existing nodes; a zone that no pass has seen yet is `Initial`. */
export const zoneLines = (
  nodes: readonly NodeLine[],
  records: readonly ZoneRecord[],
): readonly ZoneLine[] => {
  const known = new Map(records.map((record) => [printable(zoneNameOf(record.key)), record]));
  return [...Map.groupBy(nodes, ({ zone }) => zone)].map(([name, members]) => {
    const { state = 'Initial', limiter = { rate: 0, nextAt: 0 } } = known.get(name) ?? {};
    return {
      name,
      state,
      size: members.length,
      ready: members.filter(({ ready }) => ready === 'True').length,
      ...limiter,
      waiting: members.filter(isWaiting).map((node) => node.name),
    };
  });
};

/** Reads the roll call. `quietUntil`: when evictions go on, ms. */
export const readRollCall = async (deps: ViewDeps, now: EpochMs, quietUntil: EpochMs): Promise<RollCall> => {
  const [rows, items, zones, { value: due }, work] = await Promise.all([
    readHealth(deps),
    readBeats(deps, now),
    deps.control.zones(),
    deps.control.dueDeadlines(END_OF_TIME),
    readWork(deps),
  ]);
  const deadlines = new Map(due.map((one) => [`${one.namespace}/${one.name}`, one]));
  const lines = await Promise.all(rows.map((row) => lineOf(deps, row, items.get(row.name), deadlines, now)));
  const nodes = lines.toSorted(byZoneAndName);
  return { now, nodes, zones: zoneLines(nodes, zones), quietUntil, ...work };
};
