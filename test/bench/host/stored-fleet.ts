/** Thousands of nodes and pods in a host's folder: one of each is written by the protocol, the others are its copies. */

import { createHeartbeatRows } from '../../../shared/adapters/sqlite/beats/heartbeat-items.ts';
import { openDatabase } from '../../../shared/adapters/sqlite/file/database.ts';
import { pack } from '../../../shared/adapters/sqlite/file/packing.ts';
import { pathOf } from '../../../shared/adapters/sqlite/file/rows.ts';
import { createCapacityTables } from '../../../shared/adapters/sqlite/objects/capacity.ts';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../../shared/adapters/system/clock.ts';
import { systemIds as ids } from '../../../shared/adapters/system/id-source.ts';
import type { Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE, TAINT_UNREACHABLE } from '../../../shared/kube/types/well-known.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import {
  type HeartbeatItem,
  partPath,
  RELAY_BEATS,
  RELAY_ROSTERS,
} from '../../../shared/ports/store/heartbeats.ts';
import type { LiveRow } from '../../../shared/ports/store/rows.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { capacityDigest } from '../../../shared/rules/scheduling/node-counters.ts';
import type { StoredPart } from '../../../shared/store/beats/relayed-items.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { podKey } from '../../support/stores/builders.ts';
import { aKubeletNode, nodeName, uidOf } from '../fleet/fleet.ts';

export interface StoredFleet {
  readonly nodes: number;
  readonly pods: number;
  /** Zone of a node; default 6 zones in turn. */
  readonly zoneOf?: (node: number) => string;
  /** Node of a pod; default all in turn. */
  readonly nodeOf?: (pod: number) => number;
  /** The taint that pods tolerate; default unreachable. */
  readonly toleratedKey?: string;
  /** Whole seconds that a pod tolerates it; default 300. */
  readonly tolerationOf?: (pod: number) => number;
  /** Nodes were last heard straight an hour ago, and since then through these parts of relays; absent: each beats by itself. */
  readonly relays?: readonly StoredPart[];
  /** Images of each node; default 14, as a kubelet posts them. */
  readonly images?: number;
}

interface Templates {
  readonly node: LiveRow;
  readonly pod: LiveRow;
  readonly item: HeartbeatItem;
}

const ZONES = 6;
const podName = (index: number): string => `web-${index}`;

const aPod = (): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: podName(0), namespace: 'default', uid: uidOf(podName(0)), labels: { app: 'web' } },
  spec: {
    nodeName: nodeName(0),
    terminationGracePeriodSeconds: 30,
    containers: [{ name: 'web', image: 'registry.k8s.io/pause:3.10' }],
    tolerations: [
      { key: TAINT_UNREACHABLE, operator: 'Exists', effect: 'NoExecute', tolerationSeconds: 300 },
    ],
  },
  status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
});

const writeTemplates = async (folder: string, { images }: StoredFleet): Promise<Templates> => {
  const state = openSqliteState({ folder, clock });
  const writer = createObjectWriter({ ...state, clock, ids });
  const at = clock.now();
  await writer.write(nodeKey(nodeName(0)), () => ({
    next: aKubeletNode(nodeName(0), { at, ...optional('images', images) }),
    writer: 'client',
  }));
  await writer.write(podKey(podName(0)), () => ({ next: aPod(), writer: 'client' }));
  const node = await state.objects.read(nodeKey(nodeName(0)));
  const pod = await state.objects.read(podKey(podName(0)));
  const item = await state.heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name: nodeName(0) });
  state.close();
  if (node?.state !== 'live' || pod?.state !== 'live' || !item) throw new Error('the templates are missing');
  return { node, pod, item };
};

const renamed = <T extends ApiObject>(object: ApiObject, name: string): T => ({
  ...(object as T),
  metadata: { ...object.metadata, name, uid: uidOf(name) },
});

const nodeRow = ({ node }: Templates, index: number, zone: string): LiveRow => {
  const name = nodeName(index);
  const object = renamed(node.object, name);
  const labels = { ...object.metadata.labels, 'topology.kubernetes.io/zone': zone };
  const facts = node.facts.node;
  // Machines that only beat: for those that posted a Ready of their own beats alone do not count.
  const moved = facts && { ...facts, clientReady: false, zone: facts.zone.replace(/[^:]*$/, zone) };
  return {
    ...node,
    key: nodeKey(name),
    uid: uidOf(name),
    object: { ...object, metadata: { ...object.metadata, labels } },
    facts: moved ? { node: moved } : {},
  };
};

const podRow = (
  { pod }: Templates,
  index: number,
  node: string,
  tolerated: { readonly key: string; readonly tolerationSeconds: number },
): LiveRow => {
  const name = podName(index);
  const object = renamed<Pod>(pod.object, name);
  const tolerations = (object.spec.tolerations ?? []).map((one) => ({ ...one, ...tolerated }));
  const facts = pod.facts.pod;
  return {
    ...pod,
    key: podKey(name),
    uid: uidOf(name),
    object: { ...object, spec: { ...object.spec, nodeName: node, tolerations } } as Pod,
    facts: facts ? { pod: { ...facts, nodeName: node, tolerations } } : {},
  };
};

const rowsOf = function* (fleet: StoredFleet, templates: Templates): Generator<LiveRow> {
  const zoneOf = fleet.zoneOf ?? ((node) => `z${node % ZONES}`);
  const nodeOf = fleet.nodeOf ?? ((pod) => pod % fleet.nodes);
  for (let index = 0; index < fleet.nodes; index += 1) yield nodeRow(templates, index, zoneOf(index));
  for (let index = 0; index < fleet.pods; index += 1)
    yield podRow(templates, index, nodeName(nodeOf(index)), {
      key: fleet.toleratedKey ?? TAINT_UNREACHABLE,
      tolerationSeconds: fleet.tolerationOf?.(index) ?? 300,
    });
};

const copyObjects = (folder: string, fleet: StoredFleet, templates: Templates): void => {
  const objects = openDatabase({ folder, file: 'objects.db', synchronous: 'FULL' });
  const put = objects.prepare(
    `INSERT OR REPLACE INTO object (resource, path, uid, revision, body, facts, node_name) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const { counters } = createCapacityTables(objects);
  objects.inTransaction(() => {
    for (const { key, uid, revision, object, facts } of rowsOf(fleet, templates)) {
      // As the commit that makes a Node stores it. Without it a sweep would repair each of them.
      if (facts.node)
        counters.set(key.name, { counters: new Map(), digest: capacityDigest(object), writes: 1 });
      const node = facts.pod?.nodeName ?? null;
      put.run(key.resource, pathOf(key), uid, revision, pack(object).packed, JSON.stringify(facts), node);
    }
  });
  objects.close();
};

/** The items of the relays, and the path of the part of each node by its name. */
const relayItems = (relays: readonly StoredPart[]) => ({
  items: relays.flatMap(({ part, roster, beats }): readonly HeartbeatItem[] => {
    const name = partPath(part);
    return [
      ...(roster ? [{ namespace: RELAY_ROSTERS, name, roster }] : []),
      ...(beats ? [{ namespace: RELAY_BEATS, name, relayed: beats }] : []),
    ];
  }),
  pathOf: new Map(
    relays.flatMap(({ part, roster }) =>
      (roster?.entries ?? []).map(({ name }) => [name, [partPath(part)]] as const),
    ),
  ),
});

const HOUR_MS = 3_600_000;

const copyItems = (folder: string, { nodes, relays = [] }: StoredFleet, { item }: Templates): void => {
  const heartbeats = openDatabase({ folder, file: 'heartbeats.db', synchronous: 'NORMAL' });
  const rows = createHeartbeatRows(heartbeats);
  const { statusAt: _, times: __, ...plain } = item;
  const at = clock.now() - (relays.length > 0 ? HOUR_MS : 0);
  const relayed = relayItems(relays);
  heartbeats.inTransaction(() => {
    for (let index = 0; index < nodes; index += 1) {
      const name = nodeName(index);
      const beaten = { ...plain, name, uid: uidOf(name), observedAt: at, plainAt: at };
      const own = relayed.pathOf.get(name);
      rows.set(`${NODE_LEASE_NAMESPACE}/${name}`, own ? { ...beaten, relays: own } : beaten, 0);
    }
    for (const one of relayed.items) rows.set(`${one.namespace}/${one.name}`, one, 0);
  });
  heartbeats.close();
};

/** Fills an empty state folder; every node has beaten just now. */
export const storeHostFleet = async (folder: string, fleet: StoredFleet): Promise<void> => {
  const templates = await writeTemplates(folder, fleet);
  copyObjects(folder, fleet, templates);
  copyItems(folder, fleet, templates);
};
