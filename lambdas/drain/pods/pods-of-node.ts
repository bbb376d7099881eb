import type { Pod } from '../../../shared/kube/types/core.ts';
import { type LiveRow, liveRow, type ObjectKey } from '../../../shared/ports/store/rows.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { DrainDeps } from '../deps.ts';

const CONCURRENCY = 8;

const keyOf = ({ namespace, name }: { readonly namespace: string; readonly name: string }): ObjectKey => ({
  resource: 'pods',
  namespace,
  name,
});

/** Pods that the index does not show yet: every pod that is bound has a claim, which a consistent read shows. */
const unindexed = async (
  { objects, capacity }: DrainDeps,
  nodeName: string,
  known: ReadonlySet<string>,
): Promise<readonly LiveRow[]> => {
  const claims = (await capacity.allClaims(nodeName)).filter(({ uid, ended }) => !ended && !known.has(uid));
  const rows = await inParallel(claims, CONCURRENCY, async (claim) => {
    const row = liveRow(await objects.read(keyOf(claim)));
    return row?.uid === claim.uid ? row : undefined;
  });
  return rows.filter((row) => row !== undefined);
};

/** The pods that are bound to a node, also those that were bound a moment ago. Rows may be older than the pods. */
export const podsOfNode = async (deps: DrainDeps, nodeName: string): Promise<readonly LiveRow[]> => {
  const { objects } = deps;
  const { value: indexed } = await objects.podsByNode(nodeName);
  const known = new Set(indexed.map(({ uid }) => uid));
  const others = objects.lag.indexMs > 0 ? await unindexed(deps, nodeName, known) : [];
  return [...indexed, ...others].filter(({ object }) => (object as Pod).spec.nodeName === nodeName);
};
