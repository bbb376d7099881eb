import { afterEach } from 'vitest';
import { sqliteStates } from '../support/sqlite-folders.ts';
import { addressesContract } from './addresses.contract.ts';
import { T0 } from './builders.ts';
import { capacityContract } from './capacity.contract.ts';
import { capacitySweepContract } from './capacity-sweep.contract.ts';
import { changeFeedContract } from './change-feed.contract.ts';
import { commitEffectsContract } from './commit-effects.contract.ts';
import { controlStoreContract } from './control-store.contract.ts';
import { heartbeatStoreContract } from './heartbeat-store.contract.ts';
import { largeFeedContract, largeReadsContract } from './large-reads.contract.ts';
import { namespaceRaceContract } from './namespace-race.contract.ts';
import { objectLogContract } from './object-store.contract.ts';
import { ownerEdgesContract } from './owner-edges.contract.ts';
import { ownerTurnsContract } from './owner-turns.contract.ts';
import { workQueuesContract } from './work-queues.contract.ts';

const { open, dispose } = sqliteStates();
const create = async () => open({ now: () => T0 });

afterEach(dispose);

objectLogContract('SQLite', async () => (await create()).objects);
largeReadsContract('SQLite', async () => (await create()).objects);
namespaceRaceContract('SQLite', create);
commitEffectsContract('SQLite', create);
capacityContract('SQLite', create);
capacitySweepContract('SQLite', create);
ownerEdgesContract('SQLite', create);
ownerTurnsContract('SQLite', create);
addressesContract('SQLite', create);
heartbeatStoreContract('SQLite', create);
controlStoreContract('SQLite', async () => (await create()).control);
changeFeedContract('SQLite', create);
largeFeedContract('SQLite', create);
workQueuesContract('SQLite', async () => {
  let now = T0;
  const { queues } = open({ now: () => now }, { visibilityTimeoutMs: 2000, maxReceiveCount: 2 });
  const wait = async (ms: number): Promise<void> => {
    now += ms;
  };
  return { queues, wait };
});
