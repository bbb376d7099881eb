/** The status of each policy: whether it holds, and for which nodes. */

import { StatusError } from '../../../shared/kube/errors/status-error.ts';
import type { LifecyclePolicy } from '../../../shared/kube/types/lifecycle-policy.ts';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { Clock } from '../../../shared/ports/process/clock.ts';
import { liveRow } from '../../../shared/ports/store/rows.ts';
import type { Selection } from '../../../shared/rules/nodes/policy-settings.ts';
import { LIFECYCLE_POLICIES } from '../../../shared/rules/policies/policy-order.ts';
import {
  firstNames,
  needsStatus,
  type PolicyNodes,
  policyStatus,
} from '../../../shared/rules/policies/policy-status.ts';
import { zoneIdOf } from '../../../shared/rules/zones/zone-names.ts';
import { inParallel } from '../../../shared/store/turns/in-parallel.ts';
import type { ObjectWriter } from '../../../shared/store/writer/object-writer.ts';
import type { Judgement } from '../judge/judgement.ts';
import type { PassPolicies } from './policies.ts';

export interface PolicyStatusDeps {
  readonly clock: Clock;
  readonly writer: ObjectWriter;
  readonly config: { readonly writeConcurrency: number };
}

/** The nodes of each selection: many nodes share one, so that a fleet is gone through once for all policies. */
const bySelection = (
  fleet: readonly Judgement[],
  { settings, labelsOf }: PassPolicies,
): readonly (readonly [Selection, PolicyNodes])[] => {
  const groups = Map.groupBy(fleet, ({ row }) => settings.selection(row.zone, labelsOf(row.name, row.uid)));
  return [...groups].map(([selection, nodes]) => {
    const zones = new Set(nodes.map(({ row }) => row.zone));
    return [
      selection,
      {
        nodes: nodes.length,
        nodeNames: firstNames(nodes.map(({ row }) => row.name)),
        zoneNames: firstNames([...zones].map(zoneIdOf)),
      },
    ];
  });
};

const NO_NODES: PolicyNodes = { nodes: 0, nodeNames: [], zoneNames: [] };

const nodesOf = (
  { metadata: { name } }: LifecyclePolicy,
  groups: readonly (readonly [Selection, PolicyNodes])[],
): PolicyNodes => {
  const own = groups.filter(([{ names }]) => names.includes(name)).map(([, nodes]) => nodes);
  return {
    nodes: own.reduce((sum, { nodes }) => sum + nodes, 0),
    nodeNames: firstNames(own.flatMap(({ nodeNames }) => nodeNames)),
    zoneNames: firstNames([...new Set(own.flatMap(({ zoneNames }) => zoneNames))]),
  };
};

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
  const groups = bySelection(fleet, read);
  await inParallel(read.policies, deps.config.writeConcurrency, async (policy) => {
    const now = deps.clock.now();
    const conflict = read.conflicts.get(policy.metadata.name);
    const nodes = conflict === undefined ? nodesOf(policy, groups) : NO_NODES;
    const isDue = needsStatus(policy.status, policyStatus(policy, nodes, conflict, now), now);
    if (isDue && now < until) await writeStatus(deps, policy, nodes, conflict);
  });
};
