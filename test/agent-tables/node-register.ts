import { nodeStatusPatch } from '../../agent/domain/node/status-patch.ts';
import type { Node, NodeStatus } from '../../shared/api/core.ts';
import { applyStrategicMerge } from '../../shared/api/patch/strategic-merge.ts';
import { kindSchema } from '../../shared/api/schema/schema-of.ts';
import { type Replays, replay } from './replay.ts';

type Addresses = NonNullable<NodeStatus['addresses']>;

interface AddressRow {
  readonly old: Addresses;
  readonly new: Addresses;
  readonly labelAdded: boolean;
}

const NODE = kindSchema('core.v1.Node');

const nodeWith = (addresses: Addresses, labels: Readonly<Record<string, string>>): Node => ({
  apiVersion: 'v1',
  kind: 'Node',
  metadata: { name: 'n1', labels },
  status: addresses.length > 0 ? { addresses } : {},
});

const merged = (node: Node, patch: Readonly<Record<string, unknown>>): Node =>
  applyStrategicMerge({ ...node }, patch, NODE) as unknown as Node;

export const TABLES: Replays = {
  'node-address-patch': replay(({ old, new: fresh, labelAdded }: AddressRow) => {
    const before = nodeWith(old, {});
    const patch = nodeStatusPatch(before, nodeWith(fresh, labelAdded ? { a: 'b' } : {}));
    return { patch, result: merged(before, patch).status?.addresses ?? [] };
  }),
};
