import { deflateJson } from '../../../shared/adapters/dynamodb/table/packing.ts';
import type { JsonObject } from '../../../shared/kube/json/json-object.ts';
import { fieldSetOf } from '../../../shared/kube/managed-fields/set-of.ts';
import type { Write } from '../../../shared/kube/managed-fields/track.ts';
import { trackCreate, trackUpdate } from '../../../shared/kube/managed-fields/track.ts';
import { applyStrategicMerge } from '../../../shared/kube/patch/strategic-merge.ts';
import { kindSchema } from '../../../shared/kube/schema/schema-of.ts';
import { toTime } from '../../../shared/kube/values/time.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { spread } from '../figures/statistics.ts';
import { aKubeletNode, kubeletConditions, nodeName, T0 } from '../fleet/fleet.ts';

const NODE = kindSchema('core.v1.Node');
const BATCHES = 200;
const CALLS = 20;
/** Milliseconds. */
const MERGE_MS = 0.2;
const FIELDS_MS = 0.3;

/** Milliseconds per call, of batches, for the clock is coarse. */
const timesOf = (call: () => unknown): readonly number[] =>
  Array.from({ length: BATCHES }, () => {
    const startedAt = performance.now();
    for (let index = 0; index < CALLS; index += 1) call();
    return (performance.now() - startedAt) / CALLS;
  });

const timed = (name: string, call: () => unknown, atMost: number): Figure => {
  timesOf(call);
  return { name, unit: 'ms', ...spread(timesOf(call)), target: { atMost } };
};

/** What a kubelet sends when nothing but its heartbeat times changed. */
const statusPatch = (at: number): JsonObject => ({
  status: {
    '$setElementOrder/conditions': kubeletConditions(at).map(({ type }) => ({ type })),
    conditions: kubeletConditions(at).map(({ type, lastHeartbeatTime }) => ({ type, lastHeartbeatTime })),
  },
});

const writeBy = (subresource?: string): Write => ({
  schema: NODE,
  name: {
    manager: 'kubelet',
    operation: 'Update',
    apiVersion: 'v1',
    ...(subresource ? { subresource } : {}),
  },
  ignored: [[subresource ? 'f:spec' : 'f:status']],
  time: toTime(T0),
});

/** The node with the managers that a kubelet's registration and its first status leave. */
const withManagers = (
  node: JsonObject,
): JsonObject & { readonly metadata: { readonly managedFields: unknown } } => {
  const { status, ...registered } = node;
  const metadata = node['metadata'] as JsonObject;
  const owned = (managedFields: unknown) => ({ ...metadata, managedFields });
  const before: JsonObject & { readonly metadata: JsonObject } = {
    ...registered,
    status: {},
    metadata: owned(trackCreate({ ...registered, metadata }, writeBy())),
  };
  const after = { ...before, status };
  const managedFields = trackUpdate(before, after, writeBy('status'));
  return { ...node, metadata: owned(managedFields) };
};

const sizes = (bare: JsonObject, managed: JsonObject): readonly Figure[] => {
  const [without, withFields] = [deflateJson(bare).length, deflateJson(managed).length];
  const json = JSON.stringify(managed).length - JSON.stringify(bare).length;
  return [
    { name: "managedFields of a kubelet's node", unit: 'B', value: json },
    {
      name: 'managedFields, deflated',
      unit: 'B',
      value: withFields - without,
      ratio: { value: withFields / without, to: `the body of ${without} B without` },
    },
  ];
};

/** Patches and field ownership of one kubelet's node. */
export const patches: Bench = async () => {
  const node = aKubeletNode(nodeName(1234)) as unknown as JsonObject;
  const managed = withManagers(node);
  const patch = statusPatch(T0 + 10_000);
  const patched = applyStrategicMerge(managed, patch, NODE) as typeof managed;
  return [
    timed('strategic merge of a node status', () => applyStrategicMerge(managed, patch, NODE), MERGE_MS),
    timed('field set of a node', () => fieldSetOf(node, NODE), FIELDS_MS),
    timed('owners after a node status', () => trackUpdate(managed, patched, writeBy('status')), FIELDS_MS),
    timed('owners of a new node', () => trackCreate(managed, writeBy()), FIELDS_MS),
    ...sizes(node, managed),
  ];
};
