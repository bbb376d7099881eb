/** Messages that the router has sent wait in memory: what the next process finds if this one is killed. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFiles } from '../../../shared/adapters/sqlite/files.ts';
import { openSqliteState, type SqliteState, sqliteStateOn } from '../../../shared/adapters/sqlite/state.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { change, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';

const QUEUE = 'garbage';
const OTHER = 'scheduler';
const MOST = 10;
const FULL = 10_000;
const SECOND = 1_000;

let root = '';
let now = T0;
const states: SqliteState[] = [];

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-routed-'));
  now = T0;
});
afterEach(() => {
  for (const state of states.splice(0)) state.close();
  rmSync(root, { recursive: true });
});

const open = (name = 'state'): SqliteState => {
  const state = openSqliteState({ folder: join(root, name), clock: { now: () => now }, maxReceiveCount: 2 });
  states.push(state);
  return state;
};

let crashes = 0;
/** The state that another process finds if this one is killed now. */
const afterCrash = (of = 'state'): SqliteState => {
  crashes += 1;
  const name = `crash-${crashes}`;
  cpSync(join(root, of), join(root, name), { recursive: true, filter: (path) => !path.endsWith('lock') });
  const state = open(name);
  state.release();
  return state;
};

const createNode = ({ objects }: SqliteState, name: string) =>
  change(objects, {
    key: nodeKey(name),
    uid: name,
    heartbeat: { effect: 'adopt', node: name, uid: name, expiresAt: EXPIRES_AT },
  });

/** What the router would do now. */
const changesIn = async ({ feed }: SqliteState): Promise<readonly string[]> =>
  (await feed.read(await feed.position(), MOST)).flatMap(({ after }) => after?.key.name ?? []);

const route = async ({ feed, queues }: SqliteState): Promise<void> => {
  const changes = await feed.read(await feed.position(), MOST);
  await queues.sendRouted(
    QUEUE,
    changes.map(({ after }) => ({ body: after?.key.name })),
  );
  await feed.acknowledge(changes.at(-1)?.position ?? 0);
};

const receive = ({ queues }: SqliteState, queue = QUEUE) => queues.receive(queue, MOST);
const bodies = async (state: SqliteState, queue = QUEUE): Promise<readonly string[]> =>
  (await receive(state, queue)).map(({ body }) => JSON.parse(body) as string);

/** What is handled next: messages that are there, or those that follow when the changes are routed. */
const found = async (state: SqliteState) => [await changesIn(state), await bodies(state)];

describe('messages that the router has sent', () => {
  it('follow again from a change that was not routed before a kill', async () => {
    await createNode(open(), 'n1');
    expect(await found(afterCrash())).toEqual([['n1'], []]);
  });

  it('follow again from a change that was routed, before its message was handled', async () => {
    const state = open();
    await createNode(state, 'n1');
    await route(state);
    expect(await found(afterCrash())).toEqual([['n1'], []]);
    expect(await bodies(state)).toEqual(['n1']);
    expect(await found(afterCrash())).toEqual([['n1'], []]);
  });

  it('follow again although they were handled, until the position is stored', async () => {
    const state = open();
    await createNode(state, 'n1');
    await route(state);
    for (const { receipt } of await receive(state)) await state.queues.delete(QUEUE, receipt);
    expect(await found(afterCrash())).toEqual([['n1'], []]);
    state.checkpoint();
    expect(await found(afterCrash())).toEqual([[], []]);
  });

  it('are stored with the position: those that wait, and those that are handled now', async () => {
    const state = open();
    await createNode(state, 'n1');
    await createNode(state, 'n2');
    await route(state);
    const [first] = await state.queues.receive(QUEUE, 1);
    state.checkpoint();
    const crashed = afterCrash();
    expect(await changesIn(crashed)).toEqual([]);
    const again = await receive(crashed);
    expect(again.map(({ body, receiveCount }) => `${JSON.parse(body)} ${receiveCount}`).toSorted()).toEqual([
      'n1 2',
      'n2 1',
    ]);
    await state.queues.delete(QUEUE, first?.receipt ?? '');
    expect(await bodies(state)).toEqual(['n2']);
    expect(await bodies(afterCrash())).toEqual(['n2']);
  });

  it('come again, and what their handler sent is there, too', async () => {
    const state = open();
    await createNode(state, 'n1');
    await route(state);
    await receive(state);
    await state.queues.send(OTHER, [{ body: 'next' }]);
    const crashed = afterCrash();
    expect(await found(crashed)).toEqual([['n1'], []]);
    expect(await bodies(crashed, OTHER)).toEqual(['next']);
  });

  it('are in the file at once if their changes were there at the start, so that one that kills the process is buried', async () => {
    const state = open();
    await createNode(state, 'poison');
    let name = 'state';
    for (let kill = 0; kill < 3; kill += 1) {
      const next = afterCrash(name);
      name = `crash-${crashes}`;
      await route(next);
      await receive(next);
    }
    const last = afterCrash(name);
    await route(last);
    await receive(last);
    expect((await last.queues.deadLetters(QUEUE)).map(({ body }) => JSON.parse(body))).toContain('poison');
  });

  it('are stored when memory would have more than it may', async () => {
    const state = open();
    await createNode(state, 'n1');
    const many = Array.from({ length: FULL }, (_, n) => ({ body: n }));
    await state.queues.sendRouted(QUEUE, many);
    expect(state.queues.routed.size()).toBe(FULL);
    await route(state);
    expect(state.queues.routed.size()).toBe(1);
    expect(await changesIn(afterCrash())).toEqual(['n1']);
    expect(await state.queues.receive(QUEUE, FULL)).toHaveLength(1_000);
  });

  it('are refused while memory is full and the disk, too, so that their change is routed later', async () => {
    const folder = join(root, 'state');
    const files = openFiles({ folder, clock: { now: () => now } });
    const state = sqliteStateOn(files, { folder, clock: { now: () => now } });
    states.push(state);
    await state.queues.sendRouted(
      QUEUE,
      Array.from({ length: FULL }, (_, n) => ({ body: n })),
    );
    files.objects.exec(
      "CREATE TRIGGER full BEFORE INSERT ON message BEGIN SELECT RAISE(ABORT, 'no space'); END",
    );
    await createNode(state, 'n1');
    for (let attempt = 0; attempt < 3; attempt += 1) await expect(route(state)).rejects.toThrow();
    expect(state.queues.routed.size()).toBe(FULL);
    files.objects.exec('DROP TRIGGER full');
    await route(state);
    expect(state.queues.routed.size()).toBe(1);
  });

  it('are shown with those in the file, and wait as long as those if the clock is set', async () => {
    const state = open();
    await state.queues.send(QUEUE, [{ body: 'stored' }]);
    await state.queues.sendRouted(QUEUE, [{ body: 'prompt' }, { body: 'late', delaySeconds: 5 }]);
    now += SECOND;
    expect((await state.figures(now)).queues).toEqual([{ queue: QUEUE, due: 2, oldestMs: SECOND }]);
    now -= 60 * SECOND;
    state.moveInstants(-60 * SECOND);
    expect((await state.figures(now)).queues).toEqual([{ queue: QUEUE, due: 2, oldestMs: SECOND }]);
    expect(await bodies(state)).toEqual(['stored', 'prompt']);
    expect(state.queues.nextAt()).toBe(now + 4 * SECOND);
    now += 4 * SECOND;
    expect(await bodies(state)).toEqual(['late']);
  });

  it('have numbers of their own beside messages in the file, also after a start', async () => {
    const state = open();
    await state.queues.send(QUEUE, [{ body: 'a' }]);
    await state.queues.sendRouted(QUEUE, [{ body: 'b' }]);
    await state.queues.send(QUEUE, [{ body: 'c' }]);
    state.checkpoint();
    const crashed = afterCrash();
    await crashed.queues.sendRouted(QUEUE, [{ body: 'd' }]);
    crashed.checkpoint();
    expect(await bodies(crashed)).toEqual(['a', 'b', 'c', 'd']);
  });
});
