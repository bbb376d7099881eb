import { createMemoryKeyUses } from '../../shared/adapters/memory/key-uses.ts';
import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { T0 } from '../support/stores/builders.ts';
import { createMemoryOutbox } from '../support/stores/memory-outbox.ts';
import { createMemoryWatchSlots } from '../support/stores/memory-watch-slots.ts';
import { eventSenderContract } from './outside/event-sender.contract.ts';
import { keyUsesContract } from './outside/key-uses.contract.ts';
import { workQueuesContract } from './queues/work-queues.contract.ts';
import { addressesContract } from './store/addresses.contract.ts';
import { capacityContract } from './store/capacity.contract.ts';
import { capacitySweepContract } from './store/capacity-sweep.contract.ts';
import { changeFeedContract } from './store/change-feed.contract.ts';
import { commitEffectsContract } from './store/commit-effects.contract.ts';
import { controlStoreContract } from './store/control-store.contract.ts';
import { heartbeatStoreContract } from './store/heartbeat-store.contract.ts';
import { namespaceRaceContract } from './store/namespace-race.contract.ts';
import { objectLogContract } from './store/object-store.contract.ts';
import { outboxContract } from './store/outbox.contract.ts';
import { ownerEdgesContract } from './store/owner-edges.contract.ts';
import { ownerTurnsContract } from './store/owner-turns.contract.ts';
import { watchSlotsContract } from './store/watch-slots.contract.ts';

objectLogContract('memory', async () => createMemoryState().objects);
namespaceRaceContract('memory', async () => createMemoryState());
commitEffectsContract('memory', async () => createMemoryState());
capacityContract('memory', async () => createMemoryState());
capacitySweepContract('memory', async () => createMemoryState());
ownerEdgesContract('memory', async () => createMemoryState());
ownerTurnsContract('memory', async () => createMemoryState());
addressesContract('memory', async () => createMemoryState());
heartbeatStoreContract('memory', async () => createMemoryState());
controlStoreContract('memory', async () => createMemoryState());
keyUsesContract('memory', async () => createMemoryKeyUses());
outboxContract('memory', async () => createMemoryOutbox());
eventSenderContract('memory', async () => ({ ...createMemoryState(), outbox: createMemoryOutbox() }));
watchSlotsContract('memory', async () => createMemoryWatchSlots());
changeFeedContract('memory', async () => createMemoryState());
workQueuesContract('memory', async () => {
  let now = T0;
  const queues = createMemoryQueues({
    clock: { now: () => now },
    visibilityTimeoutMs: 2000,
    maxReceiveCount: 2,
  });
  const wait = async (ms: number): Promise<void> => {
    now += ms;
  };
  return { queues, wait };
});
