/** Deletes the Leases of a namespace, which are not in the log of objects. */
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { inParallel } from '../../shared/store/turns/in-parallel.ts';
import { type NamespaceDeps, readGoing } from './deps.ts';

const CONCURRENCY = 16;

/**
 * Deletes the Leases. A create of one has either been committed before the namespace was marked, so that it is read here, or is refused,
 * because the namespace has changed. Resolves to their number; `undefined`: the namespace is gone.
 */
export const emptyLeases = async (
  deps: NamespaceDeps,
  { key, uid }: LiveRow,
): Promise<number | undefined> => {
  const leases = await deps.heartbeats.leasesIn(key.name);
  if (!(await readGoing(deps, { name: key.name, uid }))) return undefined;
  await inParallel(leases, CONCURRENCY, ({ namespace, name }) =>
    deps.heartbeats.deleteLease({ namespace, name }, deps.clock.now()),
  );
  return leases.length;
};
