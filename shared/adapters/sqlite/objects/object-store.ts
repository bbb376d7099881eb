import { setImmediate as turn } from 'node:timers/promises';
import type { Commit, CommitOutcome } from '../../../ports/store/commit.ts';
import type { ObjectStore } from '../../../ports/store/object-store.ts';
import type { ObjectKey, Revision } from '../../../ports/store/rows.ts';
import { type AddressTables, applyAddresses } from '../../in-process/addresses.ts';
import { applyCapacity, type CapacityDeps, type CapacityTables } from '../../in-process/capacity.ts';
import { type CommitView, refusal } from '../../in-process/commit-conditions.ts';
import { applyEffect } from '../../in-process/heartbeat-effects.ts';
import { applyEdges, type EdgeTables } from '../../in-process/owner-edges.ts';
import type { TurnTable } from '../../in-process/owner-turns.ts';
import type { HeartbeatTable } from '../../in-process/tables.ts';
import { applyUse, type TokenUseTable } from '../../in-process/token-uses.ts';
import type { Database } from '../file/database.ts';
import type { Numbers } from '../file/numbers.ts';
import { type PackedText, pack } from '../file/packing.ts';
import { pathOf } from '../file/rows.ts';
import type { RecentCommits } from '../memory/recent-commits.ts';
import type { RowCache } from '../memory/row-cache.ts';
import type { StoredRow } from '../memory/stored-row.ts';
import type { FeedWriter } from './change-feed.ts';
import { createObjects, type Objects } from './objects.ts';
import { createSlots, type Slots, type SlotsDeps } from './slots.ts';

interface LogDeps {
  readonly objects: Database;
  /** `together`: carries out the `set` of several items, all or, if it throws, none. */
  readonly heartbeats: HeartbeatTable & { together(work: () => void): void };
  readonly capacity: CapacityTables;
  readonly edges: EdgeTables;
  readonly turns: TurnTable;
  readonly addresses: AddressTables;
  readonly tokenUses: TokenUseTable;
  readonly feed: FeedWriter;
  readonly numbers: Numbers;
  readonly recent: RecentCommits;
  readonly cache: RowCache;
  /** Called when the objects were committed but the heartbeat item could not be written, so it has to be reconciled. */
  readonly onEffectLost: (error: unknown) => void;
}

interface Tables extends LogDeps, Pick<SlotsDeps, 'together'> {
  readonly rows: Objects;
  readonly slots: Slots;
}

/** Slots that are counted at a time, which takes about two milliseconds. */
const COUNTED_AT_ONCE = 65_536;

const stateOf = (columns: StoredRow | undefined): ReturnType<CapacityDeps['row']> =>
  columns && {
    state: columns.body === null ? 'marker' : 'live',
    uid: columns.uid,
    revision: columns.revision,
  };

/** Packs the object once for both row and slot. */
const bodiesOf = ({ next, entry }: Commit): { readonly row: PackedText; readonly slot: PackedText } => {
  const slot = pack(entry.object);
  return { slot, row: next === 'marker' || next.object === entry.object ? slot : pack(next.object) };
};

const writeLog = (
  { rows, slots, feed, recent }: Tables,
  commit: Commit,
  before: StoredRow | undefined,
): void => {
  const { key, entry, preceding, trace } = commit;
  const bodies = bodiesOf(commit);
  const after = rows.write(commit, bodies.row);
  recent.add({
    slots: [
      ...(preceding ? [slots.write(preceding, pack(preceding.object))] : []),
      slots.write(entry, bodies.slot, bodies.slot === bodies.row ? after : undefined),
    ],
    change: feed.add(key, before, after, trace),
  });
};

type NoExecuteOf = CommitView['noExecuteOf'];

/** Reads each node's taints once per group of commits, because many commits may require the taints of one node. */
const rememberTaints = (noExecuteOf: NoExecuteOf) => {
  const known = new Map<string, ReturnType<NoExecuteOf>>();
  return {
    noExecuteOf: (node: string): ReturnType<NoExecuteOf> => {
      if (!known.has(node)) known.set(node, noExecuteOf(node));
      return known.get(node);
    },
    forget: (): void => known.clear(),
  };
};

/** Writes the commit unless its conditions fail. Returns the refusal, or `undefined` when it was written. */
const writeUnlessRefused = (
  tables: Tables,
  noExecuteOf: NoExecuteOf,
  commit: Commit,
): CommitOutcome | undefined => {
  const { rows, slots } = tables;
  const before = rows.stored(commit.key);
  const view: CommitView = {
    ...tables,
    slot: slots.slot,
    row: (key) => stateOf(key === commit.key ? before : rows.stored(key)),
    noExecuteOf,
  };
  const refused = refusal(view, commit);
  if (refused) return refused;
  writeLog(tables, commit, before);
  applyCapacity(tables.capacity, commit.capacity);
  applyEdges(tables.edges, commit);
  applyAddresses(tables.addresses, commit.addresses);
  applyUse(tables.tokenUses, commit.tokenUse);
  return undefined;
};

/** If they cannot be written, all of them are lost, and reconciled later. */
const applyEffects = ({ heartbeats, onEffectLost }: Tables, commits: readonly Commit[]): void => {
  const changing = commits.filter(({ heartbeat }) => heartbeat && heartbeat.effect !== 'unmoved');
  if (changing.length === 0) return;
  try {
    heartbeats.together(() => {
      for (const { heartbeat } of changing) applyEffect(heartbeats, heartbeat);
    });
  } catch (error) {
    onEffectLost(error);
  }
};

/** Writes the objects of several commits, and returns their refusals; `undefined` for one that was written. If it throws, none was. */
const writeObjects = (tables: Tables, commits: readonly Commit[]): readonly (CommitOutcome | undefined)[] => {
  const { noExecuteOf, forget } = rememberTaints(tables.rows.noExecuteOf);
  const refusals: (CommitOutcome | undefined)[] = [];
  try {
    tables.together(() => {
      for (const given of commits) {
        refusals.push(writeUnlessRefused(tables, noExecuteOf, given));
        if (given.key.resource === 'nodes') forget();
      }
      return refusals.includes(undefined);
    });
  } catch (error) {
    for (const { key } of commits) tables.rows.removed(key.resource, pathOf(key));
    throw error;
  }
  return refusals;
};

/**
 * Writes the commits of several writers with one sync, each under its own conditions. Objects come first, then heartbeat items:
 * after a crash in between, a Node may lack its entry or an entry its Node, which the next start reconciles. No other code runs
 * between checking the conditions and writing the items, so no beat can come in between.
 */
const commitTogether = (tables: Tables, commits: readonly Commit[]): readonly CommitOutcome[] => {
  const refusals = writeObjects(tables, commits);
  applyEffects(
    tables,
    commits.filter((_given, place) => refusals[place] === undefined),
  );
  return refusals.map((refused) => refused ?? { outcome: 'committed' });
};

const commit = (tables: Tables, given: Commit): CommitOutcome => {
  const [outcome = { outcome: 'unclear' }] = commitTogether(tables, [given]);
  return outcome;
};

/** The object store of a folder, and what only this process may use. */
export interface SqliteObjectStore {
  readonly objects: ObjectStore;
  /**
   * Writes several commits with one sync, each under its own conditions. If one of them changes the heartbeat item of a node, no other one may
   * have an effect on that node (`group-commit.ts` of the host). If it throws, no commit was written.
   */
  readonly commitTogether: (commits: readonly Commit[]) => readonly CommitOutcome[];
  /** The uid of a node; `undefined` if the node does not exist. */
  readonly nodeUid: (node: string) => string | undefined;
  /** Call it when stored instants were moved: facts that were read before are read again. */
  readonly forget: () => void;
  /** Call it for each row that was removed without a commit. */
  readonly removed: Objects['removed'];
  /** The state, uid and revision of a stored row. */
  readonly row: CapacityDeps['row'];
}

/**
 * Finds the first hole by halves: a range has none if it has as many slots as revisions. An index answers that without the bodies, and each
 * slot is counted about once.
 */
const createFilledSlots = (objects: Database): ObjectStore['filledUpTo'] => {
  const counted = objects.prepare<{ slots: number }>(
    'SELECT count(*) AS slots FROM slot WHERE resource = ? AND revision > ? AND revision <= ?',
  );
  const areFilled = (resource: string, from: Revision, to: Revision): boolean =>
    counted.get(resource, from, to)?.slots === to - from;
  return async (resource, from, to) => {
    let [filled, most] = [from, to];
    while (filled < most) {
      const count = Math.min(Math.ceil((most - filled) / 2), COUNTED_AT_ONCE);
      if (areFilled(resource, filled, filled + count)) filled += count;
      else most = filled + count - 1;
      if (count === COUNTED_AT_ONCE) await turn();
    }
    return filled;
  };
};

/** One transaction, after which the numbers that were taken are stored and what was written is in memory, or none of it. */
const withNumbers =
  ({ objects, numbers, recent }: LogDeps): Tables['together'] =>
  (work) => {
    const mark = recent.mark();
    try {
      const stored = objects.inTransaction(() => (work() ? numbers.store() : undefined));
      stored?.();
    } catch (error) {
      recent.undo(mark);
      throw error;
    }
  };

/** Objects and change log in `objects.db`. */
export const createSqliteObjectStore = (deps: LogDeps): SqliteObjectStore => {
  const { recent, numbers, cache } = deps;
  const rows = createObjects(deps.objects, cache);
  const together = withNumbers(deps);
  const slots = createSlots(deps.objects, { recent, together });
  const tables = { ...deps, rows, slots, together };
  const { read, page, mayHave, podsByNode, unboundPods, terminatedPods, nodeHealth } = rows;
  const objects: ObjectStore = {
    lag: { tableMs: 0, indexMs: 0 },
    ...numbers.ports,
    commit: async (given) => commit(tables, given),
    slots: slots.slots,
    filledUpTo: createFilledSlots(deps.objects),
    putTombstone: slots.putTombstone,
    read: (key: ObjectKey) => read(key),
    page,
    mayHave,
    podsByNode,
    unboundPods,
    terminatedPods,
    nodeHealth,
  };
  return {
    objects,
    commitTogether: (commits) => commitTogether(tables, commits),
    nodeUid: rows.nodeUid,
    removed: rows.removed,
    forget: () => {
      rows.forget();
      recent.forget();
    },
    row: (key) => stateOf(rows.stored(key)),
  };
};
