/** Conditions and effects on claims and counters, over synchronous tables. */
import { isDeepStrictEqual } from 'node:util';
import { optional } from '../../kube/values/optional.ts';
import type {
  CapacityEffect,
  CapacityOutcome,
  CapacityStore,
  CapacityWrite,
  NodeCounters,
} from '../../ports/store/capacity.ts';
import type { CapacitySweep, CountersPage } from '../../ports/store/capacity-sweep.ts';
import type { ObjectKey } from '../../ports/store/rows.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import type { BindCondition } from '../../rules/scheduling/node-counters.ts';
import { changeOfClaims } from '../../rules/scheduling/node-counters.ts';
import { addResources, NO_RESOURCES } from '../../rules/scheduling/pods/resources.ts';
import { type CheckedRow, rowChecksHold } from './row-checks.ts';

/** The tables of claims and counters, by the node's name. */
export interface CapacityTables {
  readonly claims: {
    get(node: string, uid: string): CapacityClaim | undefined;
    set(node: string, claim: CapacityClaim): void;
    delete(node: string, uid: string): void;
    of(node: string): readonly CapacityClaim[];
    /** The first of those whose uids follow `uid`, sorted by uid. */
    after(node: string, uid: string, limit: number): readonly CapacityClaim[];
  };
  readonly counters: {
    get(node: string): NodeCounters | undefined;
    set(node: string, counters: NodeCounters): void;
    delete(node: string): void;
    /** The first of the nodes after `node`, by their names. */
    after(node: string, limit: number): CountersPage['nodes'];
  };
  readonly sweep: {
    get(): CapacitySweep | undefined;
    set(sweep: CapacitySweep): void;
  };
}

/** The counters of a node for which nothing is stored. */
export const NO_COUNTERS: NodeCounters = { counters: NO_RESOURCES, writes: 0 };

const isWithin = ({ counters, digest }: NodeCounters, condition: BindCondition): boolean =>
  digest === condition.digest &&
  [...condition.atMost].every(([name, limit]) => (counters.get(name) ?? 0) <= limit);

/** Whether the conditions of an effect are met; true without an effect. */
export const capacityHolds = (tables: CapacityTables, effect: CapacityEffect | undefined): boolean => {
  if (!effect) return true;
  const { node, claims, within } = effect;
  const areAsRead = claims.every(({ uid, read }) => isDeepStrictEqual(tables.claims.get(node, uid), read));
  return areAsRead && (!within || isWithin(tables.counters.get(node) ?? NO_COUNTERS, within));
};

/** The counters after an effect; the same ones if it changes neither them nor the digest. */
const countersAfter = (before: NodeCounters, { claims, digest }: CapacityEffect): NodeCounters => {
  const change = changeOfClaims(claims);
  if (change.size === 0 && digest === undefined) return before;
  const kept = digest === undefined ? before.digest : (digest ?? undefined);
  return {
    counters: addResources(before.counters, change),
    writes: before.writes + 1,
    ...optional('digest', kept),
  };
};

/** Applies an effect whose conditions hold. */
export const applyCapacity = (tables: CapacityTables, effect: CapacityEffect | undefined): void => {
  if (!effect) return;
  const { node, claims } = effect;
  for (const { uid, next } of claims)
    if (next) tables.claims.set(node, next);
    else tables.claims.delete(node, uid);
  const before = tables.counters.get(node) ?? NO_COUNTERS;
  const after = countersAfter(before, effect);
  if (after !== before) tables.counters.set(node, after);
};

/** What the store needs besides the tables. */
export interface CapacityDeps {
  readonly tables: CapacityTables;
  readonly row: (key: ObjectKey) => CheckedRow | undefined;
  /** Carries out all of `work`'s writes or none; they are durable when it returns. */
  together<T>(work: () => T): T;
}

const write = (deps: CapacityDeps, given: CapacityWrite): CapacityOutcome => {
  if (!rowChecksHold(deps.row, given.checks) || !capacityHolds(deps.tables, given)) return 'refused';
  deps.together(() => applyCapacity(deps.tables, given));
  return 'written';
};

/** Claims and counters over synchronous tables. */
export const createCapacityStore = (deps: CapacityDeps): CapacityStore => {
  const { claims, counters } = deps.tables;
  return {
    claimsOf: async (node, uids) => uids.flatMap((uid) => claims.get(node, uid) ?? []),
    allClaims: async (node) => claims.of(node),
    claimsAfter: async (node, after, limit) => claims.after(node, after, limit),
    counters: async (node) => counters.get(node),
    write: async (given) => write(deps, given),
  };
};
