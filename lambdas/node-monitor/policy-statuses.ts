/** The status of each policy: whether it holds, and for which nodes. */
import type { LifecyclePolicy } from '../../shared/api/lifecycle-policy.ts';
import { StatusError } from '../../shared/api/status-error.ts';
import type { EpochMs } from '../../shared/api/time.ts';
import { LIFECYCLE_POLICIES } from '../../shared/domain/policies/policy-order.ts';
import { selectsLabels, selectsZone } from '../../shared/domain/policies/policy-settings.ts';
import {
  firstNames,
  needsStatus,
  type PolicyNodes,
  policyStatus,
} from '../../shared/domain/policies/policy-status.ts';
import { zoneIdOf } from '../../shared/domain/zones/zones.ts';
import type { Clock } from '../../shared/ports/clock.ts';
import { liveRow } from '../../shared/ports/rows.ts';
import { inParallel } from '../../shared/state/in-parallel.ts';
import type { ObjectWriter } from '../../shared/state/object-writer.ts';
import type { Judgement } from './judgement.ts';
import type { PassPolicies } from './policies.ts';

export interface PolicyStatusDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly config: { readonly writeConcurrency: number };
}

const nodesOf = (
  { spec = {} }: LifecyclePolicy,
  byZone: ReadonlyMap<string, readonly Judgement[]>,
  { labelsOf }: PassPolicies,
): PolicyNodes => {
  const names: string[] = [];
  const zoneNames: string[] = [];
  for (const [zone, nodes] of byZone) {
    if (!selectsZone(spec, zone)) continue;
    const held = nodes.filter(({ row }) => selectsLabels(spec, labelsOf(row.name, row.uid)));
    for (const { row } of held) names.push(row.name);
    if (held.length > 0) zoneNames.push(zone);
  }
  return { nodes: names.length, nodeNames: firstNames(names), zoneNames: firstNames(zoneNames) };
};

const NO_NODES: PolicyNodes = { nodes: 0, nodeNames: [], zoneNames: [] };

const writeStatus = async (
  { writer }: PolicyStatusDeps,
  { metadata: { name, uid, generation } }: LifecyclePolicy,
  nodes: PolicyNodes,
  conflict: string | undefined,
): Promise<void> => {
  try {
    await writer.write({ resource: LIFECYCLE_POLICIES, namespace: '', name }, (row, at) => {
      const stored: LifecyclePolicy | undefined = liveRow(row)?.object;
      if (!stored || stored.metadata.uid !== uid || stored.metadata.generation !== generation)
        return undefined;
      const status = policyStatus(stored, nodes, conflict, at);
      return needsStatus(stored.status, status, at)
        ? { next: { ...stored, status }, writer: 'controller' }
        : undefined;
    });
  } catch (error) {
    // Somebody else is writing the policy: the next pass decides again.
    if (!(error instanceof StatusError)) throw error;
  }
};

/** Writes the statuses that have changed. Starts none after `until` (ms): the next pass finds the same. */
export const writePolicyStatuses = async (
  deps: PolicyStatusDeps,
  read: PassPolicies,
  fleet: readonly Judgement[],
  until: EpochMs,
): Promise<void> => {
  if (read.policies.length === 0) return;
  const byZone = new Map(
    [...Map.groupBy(fleet, ({ row }) => row.zone)].map(([zone, nodes]) => [zoneIdOf(zone), nodes]),
  );
  await inParallel(read.policies, deps.config.writeConcurrency, async (policy) => {
    const now = deps.clock.now();
    const conflict = read.conflicts.get(policy.metadata.name);
    const nodes = conflict === undefined ? nodesOf(policy, byZone, read) : NO_NODES;
    const isDue = needsStatus(policy.status, policyStatus(policy, nodes, conflict, now), now);
    if (isDue && now < until) await writeStatus(deps, policy, nodes, conflict);
  });
};
