/** The health rows that a process keeps in memory are those of the file, whatever was written in between. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { openDatabase } from '../../../shared/adapters/sqlite/file/database.ts';
import { createHealthRows } from '../../../shared/adapters/sqlite/objects/health-rows.ts';
import { openSqliteState, type SqliteState } from '../../../shared/adapters/sqlite/state.ts';
import type { NodeHealthRow } from '../../../shared/rules/nodes/node-health.ts';
import { createObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import { createMemoryControlPlane } from '../../support/planes/control-plane.ts';
import * as fleet from '../../support/planes/fleet.ts';
import { T0 } from '../../support/stores/builders.ts';

let root = '';
let state: SqliteState;
const clock = { now: () => T0, sleep: async () => undefined };

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'rollcall-health-'));
  state = openSqliteState({ folder: root, clock });
});
afterEach(() => {
  state.close();
  rmSync(root, { recursive: true });
});

const rowsOf = async (objects: Pick<SqliteState['objects'], 'nodeHealth'>) => {
  const rows: NodeHealthRow[] = [];
  for await (const { value } of objects.nodeHealth()) rows.push(...value);
  return rows.toSorted((a, b) => (a.name < b.name ? -1 : 1));
};

/** What another process would read. */
const rowsInFile = async () => {
  const objects = openDatabase({ folder: root, file: 'objects.db', synchronous: 'NORMAL' });
  const rows = await rowsOf(createHealthRows(objects));
  objects.close();
  return rows;
};

/** Writes to the state of the test. */
const planeOf = () => ({
  ...createMemoryControlPlane(),
  writer: createObjectWriter({
    ...state,
    clock,
    ids: { uuid: () => crypto.randomUUID(), random: () => 0.5 },
  }),
});

const steps = fc.array(
  fc.record({
    what: fc.constantFrom('add', 'silence', 'change', 'remove', 'move', 'read', 'readSlowly'),
    name: fc.constantFrom('n1', 'n2', 'n3', 'n4'),
  }),
  { minLength: 5, maxLength: 30 },
);

it('they are the rows of the file after any writes, deletions and steps of the clock', async () => {
  const plane = planeOf();
  const play: Readonly<Record<string, (name: string) => Promise<unknown>>> = {
    add: (name) => fleet.addNode(plane, name, { ready: 'True' }).catch(() => undefined),
    silence: (name) => fleet.silence(plane, name),
    change: (name) =>
      fleet.changeNode(plane, name, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { 'topology.kubernetes.io/zone': `z${Math.random()}` } },
      })),
    remove: (name) => fleet.removeNode(plane, name).catch(() => undefined),
    move: async () => state.moveInstants(1_000),
    read: () => rowsOf(state.objects),
    // Writes come while it is under way.
    readSlowly: async (name) => {
      const pages = state.objects.nodeHealth()[Symbol.asyncIterator]();
      const first = pages.next();
      await fleet.silence(plane, name);
      await first;
      await pages.next();
    },
  };
  await fc.assert(
    fc.asyncProperty(steps, async (all) => {
      for (const { what, name } of all) {
        await play[what]?.(name);
        expect(await rowsOf(state.objects)).toEqual(await rowsInFile());
      }
    }),
    { numRuns: 20 },
  );
});

it('a Node that is written in any step of the first look is read as it is then', async () => {
  const plane = planeOf();
  for (let steps = 0; steps < 8; steps += 1) {
    const name = `n${steps}`;
    await fleet.addNode(plane, name, { ready: 'True' });
    const objects = openDatabase({ folder: root, file: 'objects.db', synchronous: 'NORMAL' });
    const rows = createHealthRows(objects);
    const look = rowsOf(rows);
    for (let step = 0; step < steps; step += 1) await Promise.resolve();
    objects
      .prepare(`UPDATE object SET facts = json_set(facts, '$.node.zone', 'moved') WHERE path = ?`)
      .run(`/${name}`);
    rows.written(`/${name}`);
    await look;
    expect((await rowsOf(rows)).find((row) => row.name === name)).toMatchObject({ zone: 'moved' });
    objects.close();
  }
});
