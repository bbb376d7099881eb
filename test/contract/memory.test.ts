import { createMemoryKeyUses } from '../../shared/adapters/memory/key-uses.ts';
import { createMemoryQueues } from '../../shared/adapters/memory/queues.ts';
import { createMemoryState } from '../../shared/adapters/memory/state.ts';
import { createMemoryOutbox } from '../support/stores/memory-outbox.ts';
import { createMemoryWatchSlots } from '../support/stores/memory-watch-slots.ts';
import { addressesContract } from './addresses.contract.ts';
import { T0 } from './builders.ts';
import { capacityContract } from './capacity.contract.ts';
import { capacitySweepContract } from './capacity-sweep.contract.ts';
import { changeFeedContract } from './change-feed.contract.ts';
import { commitEffectsContract } from './commit-effects.contract.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { eventSenderContract } from './event-sender.contract.ts';
import { heartbeatStoreContract } from './heartbeat-store.contract.ts';
import { keyUsesContract } from './key-uses.contract.ts';
import { namespaceRaceContract } from './namespace-race.contract.ts';
import { objectLogContract } from './object-store.contract.ts';
import { outboxContract } from './outbox.contract.ts';
import { ownerEdgesContract } from './owner-edges.contract.ts';
import { ownerTurnsContract } from './owner-turns.contract.ts';
import { watchSlotsContract } from './watch-slots.contract.ts';
import { workQueuesContract } from './work-queues.contract.ts';

objectLogContract('memory', async () => createMemoryState().objects);
namespaceRaceContract('memory', async () => createMemoryState());
commitEffectsContract('memory', async () => createMemoryState());
capacityContract('memory', async () => createMemoryState());
capacitySweepContract('memory', async () => createMemoryState());
ownerEdgesContract('memory', async () => createMemoryState());
ownerTurnsContract('memory', async () => createMemoryState());
addressesContract('memory', async () => createMemoryState());
heartbeatStoreContract('memory', async () => createMemoryState());
controlStoreContract('memory', async () => createMemoryState().control);
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
