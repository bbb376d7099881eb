/** Deletes the Leases of a namespace, which are not in the log of objects. */
import type { HeartbeatItem } from '../../shared/ports/heartbeats.ts';
import type { LiveRow } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import { type NamespaceDeps, readGoing } from './deps.ts';

const CONCURRENCY = 16;

const leasesIn = async (
  { heartbeats }: NamespaceDeps,
  namespace: string,
): Promise<readonly HeartbeatItem[]> => {
  const found: HeartbeatItem[] = [];
  for await (const { value } of heartbeats.scan())
    found.push(...value.filter((item) => item.namespace === namespace && item.lease !== undefined));
  return found;
};

/** Deletes the Leases. Resolves to their number; `undefined`: the namespace is gone. */
export const emptyLeases = async (
  deps: NamespaceDeps,
  { key, uid }: LiveRow,
): Promise<number | undefined> => {
  const leases = await leasesIn(deps, key.name);
  if (!(await readGoing(deps, { name: key.name, uid }))) return undefined;
  await inParallel(leases, CONCURRENCY, ({ namespace, name }) =>
    deps.heartbeats.deleteLease({ namespace, name }, deps.clock.now()),
  );
  return leases.length;
};
