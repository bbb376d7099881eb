// What `heartbeats.db` has at any instant: each item as it was at the last save or after it, whatever fails in between; and how much a beat writes.
import fc from 'fast-check';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { createHeartbeatFile } from '../../../../../shared/adapters/sqlite/beats/heartbeat-file.ts';
import { createHeartbeatMemory } from '../../../../../shared/adapters/sqlite/beats/heartbeat-memory.ts';
import type { Database } from '../../../../../shared/adapters/sqlite/file/database.ts';
import { atOnce } from '../../../../../shared/adapters/sqlite/file/turns.ts';
import { type Files, openFiles } from '../../../../../shared/adapters/sqlite/files.ts';
import type { HeartbeatItem } from '../../../../../shared/ports/store/heartbeats.ts';
import { removeFolder, temporaryFolder } from '../../../../support/stores/sqlite-folders.ts';

const T0 = 1_790_000_000_000;
const NODES = 40;
const RUNS = 60;

let folder = '';
let files: Files;

beforeEach(() => {
  folder = temporaryFolder();
  files = openFiles({ folder, clock: { now: () => T0 } });
});
afterEach(() => {
  files.close();
  removeFolder(folder);
});

/** Each eighth item is a part of a relay. */
const isPart = (node: number): boolean => node % 8 === 4;
const namespaceOf = (node: number): string => (isPart(node) ? 'relay:beats' : 'kube-node-lease');
const pathOf = (node: number): string => `${namespaceOf(node)}/n${node}`;
const newPart = (node: number): HeartbeatItem => ({
  namespace: namespaceOf(node),
  name: `n${node}`,
  relayed: { sequence: 1, receivedAt: T0, roster: 1, ages: Uint32Array.of(T0 % 1_000, 7) },
});
const newItem = (node: number): HeartbeatItem => (isPart(node) ? newPart(node) : newEntry(node));
const newEntry = (node: number): HeartbeatItem => ({
  namespace: namespaceOf(node),
  name: `n${node}`,
  uid: `uid-${node}`,
  ...(node % 3 === 0
    ? {
        version: T0,
        lease: { uid: `lease-${node}`, createdAt: T0, spec: { holderIdentity: `n${node}` }, metadata: {} },
      }
    : {}),
});

/** A beat of each source in turn; one of them takes a renewal time back, as clients may. */
const beaten = (item: HeartbeatItem, at: number): HeartbeatItem => {
  const { leaseAt: _before, ...rest } = item;
  const { lease, version = 0, relayed } = item;
  if (relayed) {
    const next = { sequence: relayed.sequence + 1, receivedAt: at, ages: Uint32Array.of(at % 1_000, at % 7) };
    return { ...item, relayed: { ...relayed, ...next }, expiresAt: at + 9 };
  }
  const { renewTime: _renewTime, ...spec } = lease?.spec ?? {};
  if (at % 7 === 0) return { ...rest, observedAt: at - 5, plainAt: at - 5, expiresAt: at + 1 };
  if (!lease) return { ...item, observedAt: at, statusAt: at, times: { Ready: `${at}` }, expiresAt: at + 9 };
  const renewed = at % 5 === 0 ? spec : { ...spec, renewTime: new Date(at).toISOString() };
  return { ...item, observedAt: at, leaseAt: at, version: version + 1, lease: { ...lease, spec: renewed } };
};

type Step =
  | { readonly kind: 'beats'; readonly nodes: readonly number[]; readonly apartMs: number }
  | { readonly kind: 'work' | 'remove' | 'create'; readonly node: number }
  | { readonly kind: 'save' | 'rows' | 'some rows' | 'start' | 'full' };

const node = fc.nat({ max: NODES - 1 });
const steps: fc.Arbitrary<readonly Step[]> = fc.array(
  fc.oneof(
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant('beats' as const),
        nodes: fc.array(node, { minLength: 1, maxLength: 500, size: 'max' }),
        apartMs: fc.constantFrom(0, 1, 40, 1_500),
      }),
    },
    { weight: 4, arbitrary: fc.record({ kind: fc.constantFrom('work', 'remove', 'create'), node }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constantFrom('save', 'rows', 'some rows', 'start', 'full') }),
    },
  ),
  { maxLength: 40 },
);

/** A database whose next transactions fail, as on a disk that is full, while `isFull`. */
const onDisk = (heartbeats: Database) => {
  const disk = { isFull: false };
  const inTransaction = <T>(work: () => T): T =>
    heartbeats.inTransaction(() => {
      const done = work();
      if (disk.isFull) throw new Error('the disk is full');
      return done;
    });
  return { disk, database: { ...heartbeats, inTransaction } satisfies Database };
};

type States = ReadonlyMap<string, HeartbeatItem>;

const play = (script: readonly Step[], heartbeats: Database): number => {
  heartbeats.exec('DELETE FROM item; DELETE FROM beat; DELETE FROM unsaved');
  const { disk, database } = onDisk(heartbeats);
  let memory = createHeartbeatMemory(database);
  let at = T0;
  let beats = 0;
  /** What each item has been since the last save. */
  const since = new Map<string, (HeartbeatItem | undefined)[]>();
  const items = (): States =>
    new Map([...memory.values()].map((item) => [`${item.namespace}/${item.name}`, item]));
  const note = (path: string, item: HeartbeatItem | undefined, isStored: boolean): void => {
    since.set(path, isStored ? [item] : [...(since.get(path) ?? [undefined]), item]);
  };
  const saved = (): void => {
    for (let one = 0; one < NODES; one += 1) since.set(pathOf(one), [memory.get(pathOf(one))]);
  };
  const set = (path: string, item: HeartbeatItem, isBeat: boolean): void => {
    const before = memory.get(path);
    try {
      memory.set(path, item);
      note(path, item, !isBeat);
    } catch {
      expect(memory.get(path)).toEqual(before);
    }
  };
  const beat = ({ nodes, apartMs }: Step & { kind: 'beats' }): void => {
    for (const one of nodes) {
      const item = memory.get(pathOf(one));
      at += apartMs;
      beats += 1;
      if (item) set(pathOf(one), beaten(item, at), true);
    }
  };
  const acts: Readonly<Record<Step['kind'], (step: Step) => void>> = {
    beats: (step) => beat(step as Step & { kind: 'beats' }),
    create: (step) => {
      const { node: one } = step as { node: number };
      if (!memory.get(pathOf(one))) set(pathOf(one), newItem(one), false);
    },
    work: (step) => {
      const { node: one } = step as { node: number };
      const item = memory.get(pathOf(one));
      if (item) set(pathOf(one), { ...item, workRevision: (item.workRevision ?? 0) + 1 }, false);
    },
    remove: (step) => {
      const { node: one } = step as { node: number };
      memory.remove(pathOf(one));
      note(pathOf(one), undefined, true);
    },
    save: () => {
      if (disk.isFull) return;
      memory.save();
      saved();
    },
    rows: () => {
      if (disk.isFull) return;
      atOnce(memory.saveRows());
      saved();
      const rows = heartbeats
        .prepare<{ path: string; at: number | null }>('SELECT path, observed_at AS at FROM item')
        .all();
      expect(new Map(rows.map((row) => [row.path, row.at ?? undefined]))).toEqual(
        new Map([...items()].map(([path, item]) => [path, item.observedAt])),
      );
    },
    'some rows': () => {
      if (disk.isFull) return;
      memory.saveRows().next();
      saved();
    },
    start: () => {
      memory = createHeartbeatMemory(database);
      saved();
    },
    full: () => {
      disk.isFull = !disk.isFull;
    },
  };
  for (let one = 0; one < NODES; one += 2) set(pathOf(one), newItem(one), false);
  for (const step of script) {
    acts[step.kind](step);
    const stored = new Map(
      [...createHeartbeatMemory(heartbeats).values()].map((item) => [`${item.namespace}/${item.name}`, item]),
    );
    for (const [path, states] of since) expect(states).toContainEqual(stored.get(path));
  }
  return beats;
};

describe('the heartbeat items in their file (J-211)', () => {
  it('are at any instant as they were at the last save or after it', () => {
    let most = 0;
    fc.assert(
      fc.property(steps, (script) => {
        most = Math.max(most, play(script, files.heartbeats));
      }),
      { numRuns: RUNS },
    );
    expect(most).toBeGreaterThan(1_000);
  });
});

describe('what beats write (J-304)', () => {
  const ITEMS = 2_000;
  const GROUP = 256;

  /** Beats of all items in turn, in groups; counts the rows and the groups that the file has. */
  const beatAround = (rounds: number, others = 0) => {
    const items = new Map(
      Array.from({ length: ITEMS + others }, (_, one) => [pathOf(one), newItem(one)] as const),
    );
    let rows = 0;
    const countRow = (): void => {
      rows += 1;
    };
    const file = createHeartbeatFile(
      files.heartbeats,
      { set: countRow, remove: () => undefined, stored: () => [] },
      items,
    );
    let mostGroups = 0;
    const count = files.heartbeats.prepare<{ groups: number }>('SELECT count(*) AS groups FROM beat');
    for (let beat = 0; beat < rounds * ITEMS; beat += GROUP) {
      const group = new Map<string, HeartbeatItem>();
      for (let one = beat; one < beat + GROUP; one += 1) {
        const path = pathOf(one % ITEMS);
        const item = beaten(items.get(path) ?? newItem(one), T0 + beat);
        items.set(path, item);
        group.set(path, item);
      }
      file.append(group, () => undefined);
      mostGroups = Math.max(mostGroups, count.get()?.groups ?? 0);
    }
    return { rows, mostGroups };
  };

  it('is the same where many others never beat, such as nodes behind relays', () => {
    const { rows, mostGroups } = beatAround(40, 10 * ITEMS);
    expect(rows).toBeLessThanOrEqual((40 * ITEMS) / 3);
    expect(mostGroups).toBeLessThanOrEqual((6 * ITEMS) / GROUP + 2);
  });

  it('is a row for each third beat at most, and groups of a bounded number', () => {
    const { rows, mostGroups } = beatAround(40);
    expect(rows).toBeLessThanOrEqual((40 * ITEMS) / 3);
    expect(rows).toBeGreaterThan(ITEMS);
    expect(mostGroups).toBeLessThanOrEqual((5 * ITEMS) / GROUP + 2);
  });
});
