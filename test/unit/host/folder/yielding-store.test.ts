import { setImmediate as turn } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { createGroupCommit } from '../../../../host/folder/group-commit.ts';
import { NO_STANDSTILL } from '../../../../host/folder/standstill.ts';
import { createTurns } from '../../../../host/folder/turns.ts';
import { createYieldingStores, yieldingControl } from '../../../../host/folder/yielding-store.ts';
import type { Commit, CommitOutcome } from '../../../../shared/ports/store/commit.ts';
import type { ControlStore } from '../../../../shared/ports/store/control-store.ts';
import type { ObjectStore } from '../../../../shared/ports/store/object-store.ts';

const WRITES = 50;
const committed: CommitOutcome = { outcome: 'committed' };
// What else is committed does not matter here.
const aCommit = (name: string, parts: Partial<Commit> = {}) =>
  ({ key: { resource: 'nodes', namespace: '', name }, ...parts }) as Commit;

const setUp = (refuse: (commit: Commit) => void = () => undefined) => {
  const groups: (readonly string[])[] = [];
  const told: string[] = [];
  const logs = createYieldingStores({
    objects: { read: async () => undefined } as unknown as ObjectStore,
    commits: createGroupCommit((commits) => {
      for (const commit of commits) refuse(commit);
      groups.push(commits.map(({ key }) => key.name));
      return commits.map(() => committed);
    }),
    onCommit: (resource) => told.push(resource),
    turns: createTurns(),
    standstill: NO_STANDSTILL,
  });
  const commitAll = (objects: ObjectStore, ...commits: readonly Commit[]) =>
    Promise.allSettled(commits.map((commit) => objects.commit(commit)));
  return { ...logs, groups, told, commitAll };
};

const names = (count: number): readonly string[] => Array.from({ length: count }, (_, n) => `n${n}`);

describe('a store for requests and controllers', () => {
  it('lets other events run between the commits of a writer that never waits', async () => {
    const { controllers } = setUp();
    let done = 0;
    let heardAfter: number | undefined;
    setImmediate(() => {
      heardAfter = done;
    });
    for (; done < WRITES; done += 1) await controllers.commit(aCommit('n'));
    expect(heardAfter).toBeLessThan(2);
  });

  it('reports the resource of each commit and returns its outcome', async () => {
    const { requests, told } = setUp();
    expect(await requests.commit(aCommit('n'))).toBe(committed);
    expect(told).toEqual(['nodes']);
  });

  it('writes a limited number of commits with one sync', async () => {
    const { controllers, groups, commitAll } = setUp();
    await commitAll(controllers, ...names(300).map((name) => aCommit(name)));
    expect(groups.map(({ length }) => length)).toEqual([128, 128, 44]);
    expect(groups.flat()).toEqual(names(300));
  });

  it('writes the commits of requests first', async () => {
    const { controllers, requests, groups, commitAll } = setUp();
    await Promise.all([
      commitAll(controllers, ...names(40).map((name) => aCommit(name))),
      commitAll(requests, aCommit('asked')),
    ]);
    expect(groups).toEqual([['asked', ...names(40)]]);
  });

  it('writes as many commits of requests as of the node monitor and of other controllers', async () => {
    const { controllers, monitor, requests, groups, commitAll } = setUp();
    const many = (name: string) => Array.from({ length: 200 }, () => aCommit(name));
    await Promise.all([
      commitAll(controllers, ...many('worked')),
      commitAll(monitor, ...many('flipped')),
      commitAll(requests, ...many('asked')),
    ]);
    const ofEach = groups.map((group) =>
      ['asked', 'flipped', 'worked'].map((name) => group.filter((one) => one === name).length),
    );
    expect(ofEach).toEqual([
      [43, 43, 42],
      [42, 43, 43],
      [43, 42, 43],
      [43, 43, 42],
      [29, 29, 30],
    ]);
  });

  it('lets the node monitor read while controllers wait for later turns', async () => {
    let isLong = false;
    const never = (): Promise<void> => new Promise(() => {});
    const { controllers, monitor } = createYieldingStores({
      objects: { read: async () => undefined } as unknown as ObjectStore,
      commits: createGroupCommit(() => []),
      onCommit: () => undefined,
      turns: { pause: () => (isLong ? never() : Promise.resolve()) },
      standstill: NO_STANDSTILL,
    });
    const key = { resource: 'nodes', namespace: '', name: 'n' };
    expect(await controllers.read(key)).toBeUndefined();
    isLong = true;
    void controllers.read(key);
    expect(await monitor.read(key)).toBeUndefined();
  });

  it('writes commits together that only look at heartbeat items, as those of an outage do', async () => {
    const { controllers, groups, commitAll } = setUp();
    const looking = (node: string) =>
      aCommit(node, { heartbeat: { effect: 'unmoved', node, observedAt: undefined } });
    await commitAll(controllers, looking('a'), looking('b'), aCommit('c'));
    expect(groups).toEqual([['a', 'b', 'c']]);
  });

  it('fails only the commit that cannot be written', async () => {
    const { controllers, groups, commitAll } = setUp(({ key }) => {
      if (key.name === 'bad') throw new Error('too large');
    });
    const fates = await commitAll(controllers, aCommit('a'), aCommit('bad'), aCommit('b'));
    expect(fates.map(({ status }) => status)).toEqual(['fulfilled', 'rejected', 'fulfilled']);
    expect(groups).toEqual([['a'], ['b']]);
  });
});

describe('deadlines', () => {
  it('are read and written in parts, with a pause before each', async () => {
    const parts: string[] = [];
    const noted =
      <R>(what: string, answer: R) =>
      async (items: readonly unknown[]): Promise<readonly R[]> => {
        parts.push(`${what} ${items.length}`);
        return items.map(() => answer);
      };
    const control = {
      deadlines: noted('read', undefined),
      storeDeadlines: noted('store', undefined),
      deleteDeadlines: noted('delete', undefined),
    };
    const turns = { pause: async () => void parts.push('pause') };
    const fair = yieldingControl(control as unknown as ControlStore, turns);
    const pods = names(450).map((name) => ({ namespace: '', name, uid: name }));
    expect(await fair.deadlines(pods)).toHaveLength(450);
    expect(
      await fair.storeDeadlines(pods as unknown as Parameters<ControlStore['storeDeadlines']>[0]),
    ).toHaveLength(450);
    await fair.deleteDeadlines(pods);
    expect(parts).toEqual(
      ['read', 'store', 'delete'].flatMap((what) =>
        [200, 200, 50].flatMap((size) => ['pause', `${what} ${size}`]),
      ),
    );
  });
});

describe('the commits of the node monitor', () => {
  it('are those of an outage while many of them wait, also if they fail', async () => {
    const { monitor, isOutage } = createGroupCommit(() => {
      throw new Error('full');
    });
    const commits = Promise.allSettled(names(40).map((name) => monitor(aCommit(name))));
    expect(isOutage()).toBe(true);
    expect((await commits).map(({ status }) => status)).toEqual(names(40).map(() => 'rejected'));
    expect(isOutage()).toBe(false);
  });

  it('are those of no outage while few of them wait, however many others do', async () => {
    const { monitor, patient, isOutage } = createGroupCommit((commits) => commits.map(() => committed));
    const commits = names(31).flatMap((name) => [monitor(aCommit(name)), patient(aCommit(name))]);
    const [last] = names(1);
    expect(isOutage()).toBe(false);
    commits.push(monitor(aCommit(last ?? '')));
    expect(isOutage()).toBe(true);
    await Promise.all(commits);
    expect(isOutage()).toBe(false);
  });
});

describe('a turn of the event loop', () => {
  it('ends when it has lasted ten milliseconds', async () => {
    let now = 0;
    const turns = createTurns({ now: () => now });
    let isHeard = false;
    setImmediate(() => {
      isHeard = true;
    });
    await turns.pause();
    now = 9;
    await turns.pause();
    expect(isHeard).toBe(false);
    now = 10;
    await turns.pause();
    expect(isHeard).toBe(true);
  });

  it('is one of eight while something more urgent goes on, and the next one afterwards', async () => {
    let isUrgent = true;
    const turns = createTurns({ now: () => 0, isUrgent: () => isUrgent });
    let count = 0;
    const turnsOf = async (work: Promise<void>): Promise<number> => {
      const from = count;
      let isOver = false;
      void work.then(() => {
        isOver = true;
      });
      while (!isOver) {
        await turn();
        count += 1;
      }
      return count - from;
    };
    expect(await turnsOf(turns.pause())).toBeGreaterThanOrEqual(8);
    isUrgent = false;
    expect(await turnsOf(turns.pause())).toBeLessThan(3);
  });
});
