/** Reads the zones, and the place of a node among those that wait. */

import type { LifecyclePolicy } from '../../kube/types/lifecycle-policy.ts';
import type { PassRecord, ZoneRecord } from '../../ports/store/control-store.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import { type LiveRow, liveRow, nodeKey } from '../../ports/store/rows.ts';
import { isAllDown, type KnownNode } from '../../rules/explain/known.ts';
import type { ZoneOfNode } from '../../rules/explain/node/node-queue.ts';
import { placeBehind, waitingNode } from '../../rules/explain/zone/zone-place.ts';
import { decideNoExecute } from '../../rules/nodes/no-execute.ts';
import { hearingAt } from '../../rules/nodes/node-health.ts';
import { type LifecycleSettings, lifecycleSettings, selectsNode } from '../../rules/nodes/policy-settings.ts';
import { heldPolicies, LIFECYCLE_POLICIES, MOST_POLICIES } from '../../rules/policies/policy-order.ts';
import type { WaitingNode } from '../../rules/zones/zone-lists.ts';
import { type Labels, zoneIdOf } from '../../rules/zones/zone-names.ts';
import { beatsFor } from '../../store/beats/node-beats.ts';
import { readHeard } from '../../store/beats/relayed-items.ts';
import { isCurrentZone } from '../../store/beats/zone-records.ts';
import type { ExplainDeps } from './explain-deps.ts';

/** Nodes before the explained one that are read at most, to see who still waits. */
const MOST_READ = 20;

/** The settings of all zones and nodes. Decisions rest on policies also where the caller may not read their names. */
interface ReadPolicies {
  readonly settings: LifecycleSettings;
  /** Names of those that select a node. Empty if the caller may not read policies. */
  namesFor(zone: string, labels: Labels | undefined): readonly string[];
}

/** The zones of the last pass, the pass, and what the policies say. */
export interface ReadZones extends ReadPolicies {
  readonly zones: readonly ZoneRecord[];
  readonly pass: PassRecord | undefined;
  /** The caller may not read zones. */
  readonly isHidden: boolean;
}

/** Reads the policies, of which there are few. */
const readPolicies = async ({ objects, config, mayRead }: ExplainDeps): Promise<ReadPolicies> => {
  const [{ rows }, mayReadThem] = await Promise.all([
    objects.page({ resource: LIFECYCLE_POLICIES, namespace: '', limit: MOST_POLICIES }),
    mayRead({ group: 'rollcall.dev', resource: LIFECYCLE_POLICIES, namespace: '', name: '' }),
  ]);
  const policies = rows.map(({ object }) => object as LifecyclePolicy);
  const { accepted } = heldPolicies(policies);
  const shown = mayReadThem ? accepted : [];
  return {
    settings: lifecycleSettings(accepted, config.nodeLifecycle),
    namesFor: (zone, labels) =>
      shown
        .filter(({ spec = {} }) => selectsNode(spec, zoneIdOf(zone), labels))
        .map(({ metadata }) => metadata.name),
  };
};

/** Reads all zones, of which there are few. */
export const readZones = async (deps: ExplainDeps): Promise<ReadZones> => {
  const { control, mayRead } = deps;
  const [policies, mayReadZones, zones, pass] = await Promise.all([
    readPolicies(deps),
    mayRead({ group: 'rollcall.dev', resource: 'zones', namespace: '', name: '' }),
    control.zones(),
    control.readPass(),
  ]);
  const current = zones.filter((zone) => isCurrentZone(zone, pass));
  return { ...policies, zones: mayReadZones ? current : [], pass, isHidden: !mayReadZones };
};

/** Those of these nodes that still wait for their taint. Names stay in the list until the next pass. */
const stillWaiting = async (
  { objects }: ExplainDeps,
  names: readonly string[],
): Promise<readonly WaitingNode[]> => {
  const rows = await Promise.all(names.map((name) => objects.read(nodeKey(name))));
  return rows.flatMap((row) => {
    const live = liveRow(row);
    if (live === undefined || decideNoExecute(live.object).action !== 'queue') return [];
    return [waitingNode(live.key.name, live.facts.node?.readyTransitionAt)];
  });
};

/** The node's zone and its place in it. */
export const zoneOfNode = async (
  deps: ExplainDeps,
  { row }: KnownNode,
  { zones, isHidden, settings }: ReadZones,
): Promise<ZoneOfNode> => {
  const zone = zones.find(({ key }) => key === row.zone);
  if (isHidden || !zone) return isHidden ? 'hidden' : undefined;
  const index = zone.waiting.indexOf(row.name);
  const isListed = index >= 0;
  const before = isListed ? zone.waiting.slice(0, index) : zone.waiting;
  const unread = isListed ? Math.max(0, index - MOST_READ) : 0;
  const listed = await stillWaiting(deps, before.slice(0, MOST_READ));
  const { ahead, isKept } = placeBehind(listed, waitingNode(row.name, row.readyTransitionAt), zone.updatedAt);
  return {
    zone,
    ahead: unread + ahead,
    isSure: isListed && isKept,
    isAllDown: isAllDown(zones, settings),
  };
};

/** The heartbeats that are stored for a node. */
export const readBeats = async (
  { heartbeats, clock }: ExplainDeps,
  name: string,
): Promise<HeartbeatItem | undefined> => (await readHeard(heartbeats, name, clock.now())).item;

/** With its site, if that is cut off. That costs reads, so it is asked for nodes behind relays that are not ready. */
export const withSite = async (
  { heartbeats, clock, config }: ExplainDeps,
  known: KnownNode,
  item: HeartbeatItem | undefined,
): Promise<KnownNode> => {
  if (known.row.ready === 'True' || item?.relays === undefined || item.uid !== known.row.uid) return known;
  const { readCutOffSite } = await import('../../store/beats/cut-off-site.ts');
  const site = { now: clock.now(), config: config.nodeLifecycle };
  const cutOff = await readCutOffSite(heartbeats, item, site);
  return cutOff ? { ...known, cutOff } : known;
};

/** What is known of a node by its row, its heartbeats and the last pass. */
export const knownNode = (
  { clock, config }: ExplainDeps,
  { key, uid, object, facts }: LiveRow,
  item: HeartbeatItem | undefined,
  { pass, zones, settings, namesFor }: ReadZones,
): KnownNode | undefined => {
  if (!facts.node) return undefined;
  const { zone } = facts.node;
  const { labels } = object.metadata;
  return {
    node: object,
    row: { ...facts.node, name: key.name, uid },
    beats: beatsFor(item, uid),
    hearing: hearingAt(pass, clock.now(), config.nodeLifecycle),
    own: settings.node(zone, labels),
    policies: namesFor(zone, labels),
    pacedRate: settings.zone(zone).pacedNotReadyRate,
    zoneState: zones.find((one) => one.key === zone)?.state,
    config: config.nodeLifecycle,
  };
};
