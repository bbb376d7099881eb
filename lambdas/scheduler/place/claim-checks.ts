/** Keeps a pod from being bound while one of its claims goes. */
import type { Pod } from '../../../shared/kube/types/core.ts';
import { claimKey, liveRow, type RowCheck } from '../../../shared/ports/store/rows.ts';
import { schedulingSpec } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { claimNameOf, isFullyBound } from '../../../shared/rules/scheduling/pods/storage.ts';
import type { SchedulerDeps } from '../deps.ts';

/** A transaction of DynamoDB has room for a hundred conditions and writes. */
const MOST = 50;

const namesOf = (pod: Pod): readonly string[] => {
  const names = (schedulingSpec(pod).volumes ?? []).map((volume) => claimNameOf(volume, pod.metadata.name));
  return [...new Set(names.filter((name) => name !== undefined))].slice(0, MOST);
};

/**
 * Conditions of a bind: the claims are as they are now, bound and not being deleted. So whoever removes a claim that is being deleted sees
 * every pod that uses it. `undefined`: a claim is not so, and the pod has to be placed anew.
 */
export const claimChecks = async (
  { objects }: Pick<SchedulerDeps, 'objects'>,
  pod: Pod,
): Promise<readonly RowCheck[] | undefined> => {
  const keys = namesOf(pod).map((name) => claimKey(pod.metadata.namespace, name));
  const rows = await Promise.all(keys.map(async (key) => liveRow(await objects.read(key))));
  const checks: RowCheck[] = [];
  for (const row of rows) {
    if (!row || row.object.metadata.deletionTimestamp !== undefined || !isFullyBound(row.object))
      return undefined;
    checks.push({ key: row.key, revision: row.revision });
  }
  return checks;
};
