/** Reads what the policies say. */
import type { LifecyclePolicy } from '../../kube/types/lifecycle-policy.ts';
import { type LifecycleSettings, lifecycleSettings, selectsNode } from '../../rules/nodes/policy-settings.ts';
import { heldPolicies, LIFECYCLE_POLICIES, MOST_POLICIES } from '../../rules/policies/policy-order.ts';
import { type Labels, zoneIdOf } from '../../rules/zones/zones.ts';
import type { ExplainDeps } from './explain-deps.ts';

/** The settings of all zones and nodes. Decisions rest on policies also where the caller may not read their names. */
export interface ReadPolicies {
  readonly settings: LifecycleSettings;
  /** Names of those that select a node. Empty if the caller may not read policies. */
  namesFor(zone: string, labels: Labels | undefined): readonly string[];
}

/** Reads the policies, of which there are few. */
export const readPolicies = async ({ objects, config, mayRead }: ExplainDeps): Promise<ReadPolicies> => {
  const [{ rows }, mayReadThem] = await Promise.all([
    objects.page({ resource: LIFECYCLE_POLICIES, namespace: '', limit: MOST_POLICIES }),
    mayRead({ group: 'rollcall.dev', resource: LIFECYCLE_POLICIES, namespace: '', name: '' }),
  ]);
  const policies = rows.map(({ object }) => object as LifecyclePolicy);
  const { accepted } = heldPolicies(policies);
  const shown = mayReadThem ? accepted : [];
  return {
    settings: lifecycleSettings(accepted, config.nodeLifecycle),
    namesFor: (zone, labels) =>
      shown
        .filter(({ spec = {} }) => selectsNode(spec, zoneIdOf(zone), labels))
        .map(({ metadata }) => metadata.name),
  };
};
