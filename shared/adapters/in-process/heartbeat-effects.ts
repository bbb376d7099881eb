import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { HeartbeatEffect, SeenBatch, StatusBeat } from '../../ports/store/commit.ts';
import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import { beatsKey } from './relays.ts';
import { type HeartbeatTable, pathOf } from './tables.ts';

/** Path of a node's entry, `kube-node-lease/<node>`. */
export const entryPath = (node: string): string => `${NODE_LEASE_NAMESPACE}/${node}`;

const isLastBatch =
  (heartbeats: Pick<HeartbeatTable, 'get'>) =>
  ({ part, sequence }: SeenBatch): boolean =>
    heartbeats.get(pathOf(beatsKey(part)))?.relayed?.sequence === sequence;

/** Whether the conditions of an effect are met; true without an effect. */
export const effectHolds = (
  heartbeats: Pick<HeartbeatTable, 'get'>,
  effect: HeartbeatEffect | undefined,
): boolean => {
  if (!effect) return true;
  const item = heartbeats.get(entryPath(effect.node));
  switch (effect.effect) {
    case 'adopt':
      return true; // The Node's own row shows that no such Node existed, so an item here belongs to no Node.
    case 'retire':
      return (item?.version ?? 0) < effect.version;
    case 'beat':
      return item?.uid === undefined || item.uid === effect.uid;
    case 'unmoved':
      return item?.observedAt === effect.observedAt && (effect.relays ?? []).every(isLastBatch(heartbeats));
  }
};

const moved = (item: HeartbeatItem, { at, times }: StatusBeat): HeartbeatItem => ({
  ...item,
  statusAt: Math.max(at, item.statusAt ?? 0),
  observedAt: Math.max(at, item.observedAt ?? 0),
  ...(at >= (item.statusAt ?? 0) ? { times } : {}),
});

const bare = (node: string, kept: Partial<HeartbeatItem>): HeartbeatItem => ({
  namespace: NODE_LEASE_NAMESPACE,
  name: node,
  ...kept,
});

const lasting = ({ lease, version }: HeartbeatItem): Partial<HeartbeatItem> => ({
  ...(lease ? { lease } : {}),
  ...optional('version', version),
});

/** Creates a node's entry, or takes over a Lease that belonged to no node. The Lease's earlier beats are not the node's. */
const adoptedBy = (
  item: HeartbeatItem | undefined,
  { node, uid, expiresAt }: { readonly node: string; readonly uid: string; readonly expiresAt: number },
): HeartbeatItem => bare(node, { ...(item ? lasting(item) : {}), uid, expiresAt });

/** The item after an effect; `undefined`: it stays as it is. */
const after = (item: HeartbeatItem | undefined, effect: HeartbeatEffect): HeartbeatItem | undefined => {
  switch (effect.effect) {
    case 'adopt': {
      const adopted = adoptedBy(item, effect);
      return effect.beat ? moved(adopted, effect.beat) : adopted;
    }
    case 'retire':
      return bare(effect.node, { version: effect.version, expiresAt: effect.expiresAt });
    case 'beat': {
      const entry = item?.uid === undefined ? adoptedBy(item, effect) : item;
      return { ...moved(entry, effect.beat), expiresAt: effect.expiresAt };
    }
    case 'unmoved':
      return undefined;
  }
};

/** Applies an effect whose conditions hold. */
export const applyEffect = (heartbeats: HeartbeatTable, effect: HeartbeatEffect | undefined): void => {
  if (!effect) return;
  const item = after(heartbeats.get(entryPath(effect.node)), effect);
  if (item) heartbeats.set(entryPath(effect.node), item);
};
