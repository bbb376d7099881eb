import type { CapacityOutcome, CapacityStore, CapacityWrite } from '../../ports/store/capacity.ts';
import type { RowCheck } from '../../ports/store/rows.ts';
import type { CapacityClaim } from '../../rules/scheduling/cluster/capacity-claim.ts';
import type { SharedHistory } from './object-store.ts';
import { claimPath, halfVisible, isolated, itemsOf, recordClaims } from './object-store.ts';
import { type HostileProcess, inDoubt } from './process.ts';

const rowOf = ({ key: { resource, namespace, name } }: RowCheck): string =>
  `${resource}/${namespace}/${name}`;

/** Claims as a query shows them: the changes of the last seconds may be missing, each by itself. */
const laggingClaims = (
  shared: SharedHistory,
  process: HostileProcess,
  node: string,
  stored: readonly CapacityClaim[],
): readonly CapacityClaim[] => {
  const current = new Map(stored.map((claim) => [`${node}/${claim.uid}`, claim]));
  const recorded = shared.claims.paths().filter((path) => path.startsWith(`${node}/`));
  const paths = new Set([...current.keys(), ...recorded]);
  return [...paths].flatMap((path) => halfVisible(process, shared.claims, path, current.get(path)) ?? []);
};

/** Wraps a `CapacityStore` with faults, for one process. It does only what DynamoDB may do, too. */
export const createHostileCapacityStore = (
  inner: CapacityStore,
  shared: SharedHistory,
  process: HostileProcess,
): CapacityStore => {
  const { call, clock } = process;
  const applied = (write: CapacityWrite): Promise<CapacityOutcome> => {
    const items = [...itemsOf(write), ...write.checks.map(rowOf)];
    return isolated(shared, process, items, async () => {
      const outcome = await inner.write(write);
      if (outcome === 'written') recordClaims(shared, write, clock.now());
      return outcome;
    });
  };
  /** A transactional read waits until no transaction writes its items. */
  const untilFree = async (items: readonly string[]): Promise<void> => {
    while (items.some((item) => shared.inTransaction.has(item))) await clock.sleep(5);
  };
  return {
    claimsOf: (node, uids) =>
      call(async () => {
        await untilFree(uids.map((uid) => claimPath(node, uid)));
        return inner.claimsOf(node, uids);
      }),
    allClaims: (node) => call(async () => laggingClaims(shared, process, node, await inner.allClaims(node))),
    // Whether a page is full is judged by what is visible.
    claimsAfter: (node, after, limit) =>
      call(async () =>
        laggingClaims(shared, process, node, await inner.allClaims(node))
          .filter(({ uid }) => uid > after)
          .toSorted((a, b) => (a.uid < b.uid ? -1 : 1))
          .slice(0, limit),
      ),
    counters: (node) => call(() => inner.counters(node)),
    write: (write) => inDoubt(process, () => applied(write)),
  };
};
