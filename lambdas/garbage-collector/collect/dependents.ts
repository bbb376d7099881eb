/** Works through the dependents of an owner, in pages. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Dependent } from '../../../shared/ports/store/owner-edges.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { CollectorDeps } from '../deps.ts';

const PAGE = 100;
/**
 * Dependents of one owner at the same time. On DynamoDB their transactions check the owner's row and so meet there; one that is refused
 * is sent again.
 */
const CONCURRENCY = 8;

/** Where a run stopped. */
export interface Progress<T> {
  readonly results: readonly T[];
  /** The cursor from which the next run goes on; `undefined`: all dependents were seen. */
  readonly next?: string;
}

/** Works on the dependents from `after` on. It starts no further page at or after `until` (ms). */
export const eachDependent = async <T>(
  { clock, ownerEdges }: Pick<CollectorDeps, 'clock' | 'ownerEdges'>,
  owner: string,
  after: string | undefined,
  until: EpochMs,
  work: (dependent: Dependent) => Promise<T>,
): Promise<Progress<T>> => {
  const results: T[] = [];
  let next = after;
  do {
    const cursor = next === undefined ? {} : { after: next };
    const page = await ownerEdges.dependents({ owner, limit: PAGE, ...cursor });
    results.push(...(await inParallel(page.dependents, CONCURRENCY, work)));
    next = page.next;
  } while (next !== undefined && clock.now() < until);
  return next === undefined ? { results } : { results, next };
};
