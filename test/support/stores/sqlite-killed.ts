// A process that is killed between the two files of a commit: the write of the heartbeat item fails, and the notice of that is
// its last moment. Arguments: folder, and what it does before: `create`, `delete`, or `replace`.
import { DatabaseSync } from 'node:sqlite';
import { openSqliteState } from '../../../shared/adapters/sqlite/state.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { change, EXPIRES_AT, T0 } from './builders.ts';

const [folder = '', action] = process.argv.slice(2);
const deathAfter = action === 'replace' ? 2 : 1;
let notices = 0;
const { objects } = openSqliteState({
  folder,
  clock: { now: () => T0 },
  onNotice: () => {
    notices += 1;
    if (notices === deathAfter) process.kill(process.pid, 'SIGKILL');
  },
});

const create = (uid: string) =>
  change(objects, {
    key: nodeKey('n1'),
    uid,
    heartbeat: { effect: 'adopt', node: 'n1', uid, expiresAt: EXPIRES_AT },
  });

const breakItems = (): void => {
  const other = new DatabaseSync(`${folder}/heartbeats.db`);
  for (const event of ['INSERT', 'UPDATE'])
    other.exec(
      `CREATE TRIGGER no_${event} BEFORE ${event} ON item BEGIN SELECT RAISE(ABORT, 'injected'); END`,
    );
  other.close();
};

if (action === 'create') {
  breakItems();
  await create('u1');
} else {
  const { revision } = await create('u1');
  breakItems();
  const heartbeat = { effect: 'retire', node: 'n1', version: T0 + 50, expiresAt: EXPIRES_AT } as const;
  await change(objects, { key: nodeKey('n1'), uid: 'u1', expected: revision, type: 'DELETED', heartbeat });
  await create('u2');
}
