/** What the beats of a large fleet write to `heartbeats.db`, in groups, and as a row for each beat. Nodes beat in any order. */

import { createHeartbeatFile } from '../../../shared/adapters/sqlite/beats/heartbeat-file.ts';
import { createHeartbeatRows } from '../../../shared/adapters/sqlite/beats/heartbeat-items.ts';
import { type Database, openDatabase } from '../../../shared/adapters/sqlite/file/database.ts';
import { migrate } from '../../../shared/adapters/sqlite/file/migrate.ts';
import { NODE_LEASE_NAMESPACE } from '../../../shared/kube/types/well-known.ts';
import type { HeartbeatItem } from '../../../shared/ports/store/heartbeats.ts';
import type { Bench, Figure } from '../figures/figures.ts';
import { nodeName, uidOf } from '../fleet/fleet.ts';
import { inHostFolder } from './bench-host.ts';

const NODES = 50_000;
const ROUNDS = 6;
const GROUP = 256;
const PAGE_BYTES = 4_096;
/** A step that visits each node once, far from the one before. */
const STRIDE = 20_011;

type Items = Map<string, HeartbeatItem>;
type Write = (beats: Items) => void;

const itemOf = (index: number, at: number): readonly [string, HeartbeatItem] => {
  const name = nodeName(index);
  const lease = {
    uid: uidOf(name),
    createdAt: 1,
    spec: { holderIdentity: name, renewTime: new Date(at).toISOString() },
    metadata: {},
  };
  const instants = { observedAt: at, leaseAt: at, version: at, expiresAt: at + 1 };
  return [
    `${NODE_LEASE_NAMESPACE}/${name}`,
    { namespace: NODE_LEASE_NAMESPACE, name, uid: uidOf(name), lease, ...instants },
  ];
};

const inGroups = (heartbeats: Database, items: Items): Write => {
  const file = createHeartbeatFile(heartbeats, createHeartbeatRows(heartbeats), items);
  for (const [path, item] of items) file.set(path, item);
  return (beats) => file.append(beats, () => undefined);
};

const inRows = (heartbeats: Database, items: Items): Write => {
  const rows = createHeartbeatRows(heartbeats);
  for (const [path, item] of items) rows.set(path, item, 0);
  return (beats) =>
    heartbeats.inTransaction(() => {
      for (const [path, item] of beats) rows.set(path, item, 0);
    });
};

/** Groups between two looks at the log, after which it begins anew. */
const LOOK_EACH = 40;

/** Counts the pages that were written to the log since the last look. */
const pageCounter = (heartbeats: Database) => {
  heartbeats.exec('PRAGMA wal_autocheckpoint = 0; PRAGMA synchronous = OFF');
  const look = heartbeats.prepare<{ log: number }>('PRAGMA wal_checkpoint(PASSIVE)');
  const beginAnew = heartbeats.prepare('PRAGMA wal_checkpoint(TRUNCATE)');
  return (): number => {
    const pages = look.get()?.log ?? 0;
    beginAnew.get();
    return pages;
  };
};

/** Bytes of the log and milliseconds of the processor for each beat. A page of the log is one more of the file after a checkpoint. */
const measured = (way: typeof inRows) =>
  inHostFolder(async (folder) => {
    const heartbeats = openDatabase({ folder, file: 'heartbeats.db', synchronous: 'NORMAL' });
    migrate(heartbeats, 'heartbeats', folder);
    const items: Items = new Map(Array.from({ length: NODES }, (_, index) => itemOf(index, 1)));
    const newPages = pageCounter(heartbeats);
    const write = way(heartbeats, items);
    newPages();
    let pages = 0;
    const before = process.cpuUsage();
    for (let group = 0; group * GROUP < ROUNDS * NODES; group += 1) {
      const beats: Items = new Map(
        Array.from({ length: GROUP }, (_, one) => {
          const beat = group * GROUP + one;
          return itemOf((beat * STRIDE) % NODES, beat + 2);
        }),
      );
      for (const [path, item] of beats) items.set(path, item);
      write(beats);
      if (group % LOOK_EACH === 0) pages += newPages();
    }
    pages += newPages();
    const { user, system } = process.cpuUsage(before);
    heartbeats.close();
    const beats = ROUNDS * NODES;
    return { bytes: (pages * PAGE_BYTES) / beats, ms: (user + system) / 1_000 / beats };
  });

export const hostBeatFiles: Bench = async (): Promise<readonly Figure[]> => {
  const rows = await measured(inRows);
  const groups = await measured(inGroups);
  const ratio = { to: 'a row for each beat' };
  return [
    {
      name: 'a row for each beat: log',
      unit: 'B a beat',
      value: rows.bytes,
      note: `${NODES} nodes in any order`,
    },
    {
      name: 'groups: log',
      unit: 'B a beat',
      value: groups.bytes,
      ratio: { ...ratio, value: groups.bytes / rows.bytes },
    },
    {
      name: 'groups: processor time',
      unit: 'ms a beat',
      value: groups.ms,
      ratio: { ...ratio, value: groups.ms / rows.ms },
    },
  ];
};
