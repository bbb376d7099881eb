/** Reads from the stored state what the roll-call table shows. */
import type { Node, Pod } from '../../shared/kube/types/core.ts';
import type { LifecyclePolicy } from '../../shared/kube/types/lifecycle-policy.ts';
import { NODE_LEASE_NAMESPACE } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { ControlStore, PodDeadline } from '../../shared/ports/store/control-store.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../shared/ports/store/object-store.ts';
import { hearingAt, type NodeHealthRow, unknownAt } from '../../shared/rules/nodes/node-health.ts';
import { lifecycleSettings } from '../../shared/rules/nodes/policy-settings.ts';
import { heldPolicies, LIFECYCLE_POLICIES, MOST_POLICIES } from '../../shared/rules/policies/policy-order.ts';
import { relayedBeats } from '../../shared/rules/relays/relayed-beats.ts';
import { type NodeLine, nodeLineOf } from '../../shared/rules/roll-call/node-line.ts';
import type { PodDeadlines } from '../../shared/rules/roll-call/pod-evictions.ts';
import { byZoneAndName, type RollCall } from '../../shared/rules/roll-call/roll-call.ts';
import { zoneLines } from '../../shared/rules/roll-call/zone-lines.ts';
import type { NodeLifecycleConfig } from '../../shared/settings/node-lifecycle.ts';
import { beatsFor } from '../../shared/store/beats/node-beats.ts';
import { partsIn, withRelayed } from '../../shared/store/beats/relayed-items.ts';
import { readWork } from './work-view.ts';

export interface ViewDeps {
  readonly objects: Pick<ObjectStore, 'read' | 'nodeHealth' | 'podsByNode' | 'page' | 'unboundPods'>;
  readonly heartbeats: Pick<HeartbeatStore, 'scan'>;
  readonly control: Pick<ControlStore, 'zones' | 'dueDeadlines' | 'readPass'>;
  readonly config: NodeLifecycleConfig;
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

const readNode = async ({ objects }: ViewDeps, name: string): Promise<Node | undefined> => {
  const row = await objects.read({ resource: 'nodes', namespace: '', name });
  return row?.state === 'live' ? row.object : undefined;
};

/** When a pass finds a node silent, if nothing more is heard of it; infinite: at no instant of its own; `undefined`: it has. */
type Forecast = (row: NodeHealthRow, item: HeartbeatItem | undefined, node: Node) => EpochMs | undefined;

/** By the rule and the settings by which the monitor decides. */
const readForecast = async ({ objects, control, config }: ViewDeps, now: EpochMs): Promise<Forecast> => {
  const [pass, { rows }] = await Promise.all([
    control.readPass(),
    objects.page({ resource: LIFECYCLE_POLICIES, namespace: '', limit: MOST_POLICIES }),
  ]);
  const { accepted } = heldPolicies(rows.map(({ object }) => object as LifecyclePolicy));
  const settings = lifecycleSettings(accepted, config);
  const hearing = hearingAt(pass, now, config);
  return (row, item, { metadata }) => {
    // Its turn in the zone decides.
    if (settings.zone(row.zone).pacedNotReadyRate !== undefined) return Number.POSITIVE_INFINITY;
    const own = { ...config, ...settings.node(row.zone, metadata.labels) };
    return unknownAt(row, beatsFor(item, row.uid), hearing, now, own);
  };
};

/** The line of a node; none if it was deleted since it was listed. */
const lineOf = async (
  deps: ViewDeps,
  row: NodeHealthRow,
  {
    item,
    deadlines,
    forecast,
  }: {
    readonly item: HeartbeatItem | undefined;
    readonly deadlines: PodDeadlines;
    readonly forecast: Forecast;
  },
  now: EpochMs,
): Promise<readonly NodeLine[]> => {
  const [{ value: rows }, node] = await Promise.all([
    deps.objects.podsByNode(row.name),
    readNode(deps, row.name),
  ]);
  if (!node) return [];
  const pods = rows.map(({ object }) => object as Pod);
  const beatAt = item?.uid === row.uid ? item.observedAt : undefined;
  const news = { beatAt, deadlines, unknownAt: forecast(row, item, node) };
  return [nodeLineOf(node, pods, news, now)];
};

const deadlinesOf = (due: readonly PodDeadline[]): PodDeadlines => {
  const byName = new Map(due.map((one) => [`${one.namespace}/${one.name}`, one]));
  return ({ metadata }) => byName.get(`${metadata.namespace ?? ''}/${metadata.name}`);
};

/** Reads the roll call. `quietUntil`: when evictions go on, ms. */
export const readRollCall = async (deps: ViewDeps, now: EpochMs, quietUntil: EpochMs): Promise<RollCall> => {
  const [rows, items, zones, { value: due }, work, forecast] = await Promise.all([
    readHealth(deps),
    readBeats(deps, now),
    deps.control.zones(),
    deps.control.dueDeadlines(END_OF_TIME),
    readWork(deps),
    readForecast(deps, now),
  ]);
  const deadlines = deadlinesOf(due);
  const lines = await Promise.all(
    rows.map((row) => lineOf(deps, row, { item: items.get(row.name), deadlines, forecast }, now)),
  );
  const nodes = lines.flat().toSorted(byZoneAndName);
  return { now, nodes, zones: zoneLines(nodes, zones), quietUntil, ...work };
};
