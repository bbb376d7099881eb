import type { NodeCounters } from '../../../ports/store/capacity.ts';
import type { CapacitySweep } from '../../../ports/store/capacity-sweep.ts';
import type { CapacityClaim } from '../../../rules/scheduling/cluster/capacity-claim.ts';
import type { CapacityTables } from '../../in-process/capacity.ts';
import type { Database } from '../file/database.ts';

interface Body {
  readonly body: string;
}

type Stored<T, K extends keyof T> = Omit<T, K> & {
  readonly [P in K]: readonly (readonly [string, number])[];
};

const packClaim = (claim: CapacityClaim): string =>
  JSON.stringify({ ...claim, requests: [...claim.requests] });

const unpackClaim = ({ body }: Body): CapacityClaim => {
  const stored = JSON.parse(body) as Stored<CapacityClaim, 'requests'>;
  return { ...stored, requests: new Map(stored.requests) };
};

const unpackCounters = ({ body }: Body): NodeCounters => {
  const stored = JSON.parse(body) as Stored<NodeCounters, 'counters'>;
  return { ...stored, counters: new Map(stored.counters) };
};

const claimsIn = (objects: Database): CapacityTables['claims'] => {
  const get = objects.prepare<Body>('SELECT body FROM claim WHERE node = ? AND uid = ?');
  const all = objects.prepare<Body>('SELECT body FROM claim WHERE node = ?');
  const after = objects.prepare<Body>(
    'SELECT body FROM claim WHERE node = ? AND uid > ? ORDER BY uid LIMIT ?',
  );
  const remove = objects.prepare('DELETE FROM claim WHERE node = ? AND uid = ?');
  const put = objects.prepare(`INSERT INTO claim (node, uid, body) VALUES (?, ?, ?)
    ON CONFLICT (node, uid) DO UPDATE SET body = excluded.body`);
  return {
    get: (node, uid) => {
      const found = get.get(node, uid);
      return found && unpackClaim(found);
    },
    set: (node, claim) => put.run(node, claim.uid, packClaim(claim)),
    delete: (node, uid) => remove.run(node, uid),
    of: (node) => all.all(node).map(unpackClaim),
    after: (node, uid, limit) => after.all(node, uid, limit).map(unpackClaim),
  };
};

const countersIn = (objects: Database): CapacityTables['counters'] => {
  const get = objects.prepare<Body>('SELECT body FROM node_counters WHERE node = ?');
  const put = objects.prepare('INSERT OR REPLACE INTO node_counters (node, body) VALUES (?, ?)');
  const remove = objects.prepare('DELETE FROM node_counters WHERE node = ?');
  const after = objects.prepare<Body & { readonly node: string }>(
    'SELECT node, body FROM node_counters WHERE node > ? ORDER BY node LIMIT ?',
  );
  return {
    get: (node) => {
      const found = get.get(node);
      return found && unpackCounters(found);
    },
    set: (node, stored) => put.run(node, JSON.stringify({ ...stored, counters: [...stored.counters] })),
    delete: (node) => remove.run(node),
    after: (node, limit) => after.all(node, limit).map((row) => ({ node: row.node, ...unpackCounters(row) })),
  };
};

const sweepIn = (objects: Database): CapacityTables['sweep'] => {
  const get = objects.prepare<Body>('SELECT body FROM capacity_sweep');
  const put = objects.prepare('INSERT OR REPLACE INTO capacity_sweep (id, body) VALUES (1, ?)');
  return {
    get: () => {
      const found = get.get();
      return found && (JSON.parse(found.body) as CapacitySweep);
    },
    set: (sweep) => put.run(JSON.stringify(sweep)),
  };
};

/** Claims, counters and the sweep over them in tables of `objects.db`. */
export const createCapacityTables = (objects: Database): CapacityTables => ({
  claims: claimsIn(objects),
  counters: countersIn(objects),
  sweep: sweepIn(objects),
});
