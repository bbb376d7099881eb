/** Adds the latest heartbeat times, which make no revision, to Nodes that are read. */
import type { ApiObject } from '../../kube/types/meta.ts';
import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../ports/store/heartbeats.ts';
import { withHeartbeatTimes } from '../../rules/nodes/status-beat.ts';

/** Adds stored heartbeat times to an object; returns objects of other kinds unchanged. */
export type Overlay = <T extends ApiObject>(object: T) => T;

const overlayOf =
  (item: HeartbeatItem | undefined): Overlay =>
  <T extends ApiObject>(object: T): T =>
    item?.uid !== undefined && item.uid === object.metadata.uid
      ? (withHeartbeatTimes(object, item.times) as unknown as T)
      : object;

const asStored: Overlay = (object) => object;

/** The overlay for the object `name` of `resource`: one read for a Node, none for other kinds. */
export const readOverlay = async (
  resource: string,
  name: string,
  { heartbeats }: { readonly heartbeats: HeartbeatStore },
): Promise<Overlay> =>
  resource === 'nodes'
    ? overlayOf(await heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name }))
    : asStored;
