import type { HeartbeatItem } from '../../ports/store/heartbeats.ts';
import type { Heartbeats } from '../../rules/nodes/node-health.ts';

/** The heartbeats of the Node with this uid; `undefined` if the item belongs to another Node or to none. */
export const beatsFor = (item: HeartbeatItem | undefined, uid: string): Heartbeats | undefined =>
  item?.uid === uid
    ? {
        // Field by field: copying the whole item for each node would take most of a pass's time.
        leaseAt: item.leaseAt,
        statusAt: item.statusAt,
        plainAt: item.plainAt,
        relayAt: item.relayAt,
        aheadAt: item.aheadAt,
        hasLease: item.lease !== undefined,
        patience: item.patience,
        leaseSeconds: item.lease?.spec.leaseDurationSeconds,
      }
    : undefined;
