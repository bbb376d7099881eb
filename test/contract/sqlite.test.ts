import { afterEach } from 'vitest';
import type { QueueConsumer, WorkQueues } from '../../shared/ports/process/work-queue.ts';
import { T0 } from '../support/stores/builders.ts';
import { sqliteStates } from '../support/stores/sqlite-folders.ts';
import { workQueuesContract } from './queues/work-queues.contract.ts';
import { addressesContract } from './store/addresses.contract.ts';
import { capacityContract } from './store/capacity.contract.ts';
import { capacitySweepContract } from './store/capacity-sweep.contract.ts';
import { changeFeedContract } from './store/change-feed.contract.ts';
import { commitEffectsContract } from './store/commit-effects.contract.ts';
import { controlStoreContract } from './store/control-store.contract.ts';
import { heartbeatStoreContract } from './store/heartbeat-store.contract.ts';
import { largeFeedContract, largeReadsContract } from './store/large-reads.contract.ts';
import { namespaceRaceContract } from './store/namespace-race.contract.ts';
import { objectLogContract } from './store/object-store.contract.ts';
import { ownerEdgesContract } from './store/owner-edges.contract.ts';
import { ownerTurnsContract } from './store/owner-turns.contract.ts';

const { open, dispose } = sqliteStates();
const create = async () => open({ now: () => T0 });

afterEach(dispose);

/** How much is kept in memory makes no difference. */
const MEMORIES = {
  SQLite: {},
  'SQLite, with two commits in memory': { memory: { commits: 2, characters: 5_000, rowBytes: 5_000 } },
  'SQLite, with nothing in memory': { memory: { commits: 0, characters: 0, rowBytes: 0 } },
};
for (const [name, options] of Object.entries(MEMORIES)) {
  const remembering = async () => open({ now: () => T0 }, options);
  objectLogContract(name, async () => (await remembering()).objects);
  largeReadsContract(name, async () => (await remembering()).objects);
  namespaceRaceContract(name, remembering);
  commitEffectsContract(name, remembering);
  changeFeedContract(name, remembering);
  largeFeedContract(name, remembering);
}
capacityContract('SQLite', create);
capacitySweepContract('SQLite', create);
ownerEdgesContract('SQLite', create);
ownerTurnsContract('SQLite', create);
addressesContract('SQLite', create);
heartbeatStoreContract('SQLite', create);
controlStoreContract('SQLite', create);
/** `isSettled`: whether what is in memory is stored before each call. */
const createQueues = (isRouted: boolean, isSettled = false) => {
  let now = T0;
  const state = open({ now: () => now }, { visibilityTimeoutMs: 2000, maxReceiveCount: 2 });
  const { send, sendRouted, receive, delete: remove, deadLetters, redrive } = state.queues;
  const after =
    <A extends readonly unknown[], R>(call: (...given: A) => R) =>
    (...given: A): R => {
      if (isSettled) state.checkpoint();
      return call(...given);
    };
  const queues: WorkQueues & QueueConsumer = {
    send: after(isRouted ? sendRouted : send),
    receive: after(receive),
    delete: after(remove),
    deadLetters,
    redrive,
  };
  const wait = async (ms: number): Promise<void> => {
    now += ms;
    // A host does that each second.
    state.checkpoint();
  };
  return { queues, wait };
};
workQueuesContract('SQLite', async () => createQueues(false));
workQueuesContract('SQLite, what the router sends', async () => createQueues(true));
workQueuesContract('SQLite, what the router sends, stored before each call', async () =>
  createQueues(true, true),
);
