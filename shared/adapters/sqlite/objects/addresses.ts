import type { HeldBlock, Holder, RangeState, WaitingNode } from '../../../ports/store/addresses.ts';
import type { AddressTables } from '../../in-process/addresses.ts';
import type { Database } from '../file/database.ts';

interface BlockColumns {
  readonly place: number;
  readonly holders: string;
}

const unpackBlock = ({ place, holders }: BlockColumns): HeldBlock => ({
  index: place,
  holders: JSON.parse(holders) as readonly Holder[],
});

const blocksIn = (objects: Database): AddressTables['blocks'] => {
  const get = objects.prepare<BlockColumns>(
    'SELECT place, holders FROM address_block WHERE range = ? AND place = ?',
  );
  const from = objects.prepare<BlockColumns>(
    'SELECT place, holders FROM address_block WHERE range = ? AND place >= ? ORDER BY place LIMIT ?',
  );
  const remove = objects.prepare('DELETE FROM address_block WHERE range = ? AND place = ?');
  const put = objects.prepare(
    'INSERT OR REPLACE INTO address_block (range, place, holders) VALUES (?, ?, ?)',
  );
  return {
    get: (range, index) => {
      const found = get.get(range, index);
      return found ? unpackBlock(found).holders : [];
    },
    set: (range, index, holders) => {
      if (holders.length === 0) remove.run(range, index);
      else put.run(range, index, JSON.stringify(holders));
    },
    from: (range, index, most) => from.all(range, index, most).map(unpackBlock),
  };
};

const rangesIn = (objects: Database): AddressTables['ranges'] => {
  const get = objects.prepare<{ readonly body: string }>('SELECT body FROM address_range WHERE range = ?');
  const put = objects.prepare('INSERT OR REPLACE INTO address_range (range, body) VALUES (?, ?)');
  return {
    get: (name) => {
      const found = get.get(name);
      return found && (JSON.parse(found.body) as RangeState);
    },
    set: (name, state) => put.run(name, JSON.stringify(state)),
  };
};

const waitingIn = (objects: Database): AddressTables['waiting'] => {
  const all = objects.prepare<WaitingNode>('SELECT uid, name, since FROM address_waiting');
  const put = objects.prepare('INSERT OR IGNORE INTO address_waiting (uid, name, since) VALUES (?, ?, ?)');
  const remove = objects.prepare('DELETE FROM address_waiting WHERE uid = ?');
  return {
    all: () => all.all().map(({ uid, name, since }) => ({ uid, name, since })),
    put: ({ uid, name, since }) => put.run(uid, name, since),
    delete: (uid) => remove.run(uid),
  };
};

const enteredIn = (objects: Database): AddressTables['entered'] => {
  const get = objects.prepare<{ readonly ranges: string }>('SELECT ranges FROM address_entered');
  const put = objects.prepare('INSERT OR REPLACE INTO address_entered (id, ranges) VALUES (1, ?)');
  const remove = objects.prepare('DELETE FROM address_entered');
  return {
    get: () => get.get()?.ranges,
    set: (ranges) => {
      if (ranges === undefined) remove.run();
      else put.run(ranges);
    },
  };
};

/** Blocks of addresses in tables of `objects.db`. */
export const createAddressTables = (objects: Database): AddressTables => ({
  blocks: blocksIn(objects),
  ranges: rangesIn(objects),
  waiting: waitingIn(objects),
  entered: enteredIn(objects),
});
