/** What the heartbeat and API servers are made of, and tokens for them. */
import { createMemoryKeyUses } from '../../../shared/adapters/memory/key-uses.ts';
import { systemClock } from '../../../shared/adapters/system/clock.ts';
import { systemIds } from '../../../shared/adapters/system/id-source.ts';
import { issueToken } from '../../../shared/apiserver/access/authentication.ts';
import type { ApiServerDeps } from '../../../shared/apiserver/contract/deps.ts';
import { API_SERVER_DEFAULTS } from '../../../shared/apiserver/contract/deps.ts';
import { createWatches, HOST_WATCH_LIMITS } from '../../../shared/apiserver/feed/watches.ts';
import {
  GROUP_MASTERS,
  GROUP_NODES,
  GROUP_RELAYS,
  NODE_USER_PREFIX,
  RELAY_USER_PREFIX,
} from '../../../shared/kube/types/well-known.ts';
import type { SigningKeys } from '../../../shared/ports/outside/signing-keys.ts';
import type { CapacityStore } from '../../../shared/ports/store/capacity.ts';
import type { ControlStore } from '../../../shared/ports/store/control-store.ts';
import type { HeartbeatStore } from '../../../shared/ports/store/heartbeats.ts';
import type { ObjectStore } from '../../../shared/ports/store/object-store.ts';
import { createLister } from '../../../shared/store/lists/lists.ts';
import { createCapacityEffects } from '../../../shared/store/writer/capacity-effects.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';

export const CLUSTER_ID = 'bench';
const KEY = { kid: 'k1', secret: new Uint8Array(32).fill(7) };
const DAY_MS = 24 * 60 * 60_000;

export const signingKeys: SigningKeys = {
  current: async () => KEY,
  find: async (kid) => (kid === KEY.kid ? KEY.secret : undefined),
};

export interface Stores {
  readonly objects: ObjectStore;
  readonly heartbeats: HeartbeatStore;
  readonly control: ControlStore;
  readonly capacity: CapacityStore;
}

/** Everything that the servers take; failures are printed, for they are faults of ours. */
export const serverDeps = (state: Stores): ApiServerDeps => {
  const { objects, heartbeats, control, capacity } = state;
  const stores = { objects, heartbeats, control, clock: systemClock, ids: systemIds };
  const lister = createLister(stores);
  const watches = createWatches({ ...stores, lister, limits: HOST_WATCH_LIMITS, onError: console.error });
  return {
    ...stores,
    capacity,
    signingKeys,
    keyUses: createMemoryKeyUses(),
    config: { ...API_SERVER_DEFAULTS, clusterId: CLUSTER_ID },
    logger: { requestFailed: (failure) => console.error(failure) },
    writer: createObjectWriter({ ...stores, capacityEffects: createCapacityEffects(capacity) }),
    lister,
    watches,
  };
};

const tokenOf = (name: string, group: string, nodeUid?: string): Promise<string> =>
  issueToken(
    { signingKeys, clusterId: CLUSTER_ID },
    {
      name,
      groups: [group],
      ...(nodeUid === undefined ? {} : { nodeUid }),
      issuedAt: Date.now(),
      expiresAt: Date.now() + DAY_MS,
    },
  );

export const nodeToken = (node: string, uid: string): Promise<string> =>
  tokenOf(`${NODE_USER_PREFIX}${node}`, GROUP_NODES, uid);

export const relayToken = (relay: string): Promise<string> =>
  tokenOf(`${RELAY_USER_PREFIX}${relay}`, GROUP_RELAYS);

export const adminToken = (): Promise<string> => tokenOf('admin', GROUP_MASTERS);
