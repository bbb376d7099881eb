import '../../kube/schema/rare-messages.ts';
import { defaultLifecyclePolicy } from '../../kube/defaults/lifecycle-policy.ts';
import { type FieldError, forbiddenField } from '../../kube/errors/field-error.ts';
import type { LifecyclePolicy, LifecyclePolicySpec } from '../../kube/types/lifecycle-policy.ts';
import {
  LIFECYCLE_POLICIES,
  MOST_POLICIES,
  specificityOf,
  tieOf,
} from '../../rules/policies/policy-order.ts';
import { rowsIn } from '../../store/lists/row-pages.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import { storedObject, withGeneration } from '../contract/stored-object.ts';
import type { ServedKind, Strategy } from '../contract/strategy.ts';
import { validateLifecyclePolicy } from './validate-lifecycle-policy.ts';

const KIND: ServedKind = {
  group: 'rollcall.dev',
  version: 'v1',
  kind: 'NodeLifecyclePolicy',
  resource: LIFECYCLE_POLICIES,
  namespaced: false,
};

const fieldOf = (spec: LifecyclePolicySpec): string =>
  ['spec', 'spec.zones'][specificityOf(spec)] ?? 'spec.nodeSelector';

const tieFaults = (policy: LifecyclePolicy, others: readonly LifecyclePolicy[]): readonly FieldError[] => {
  const tie = tieOf(policy, others);
  if (!tie) return [];
  return [
    forbiddenField(
      fieldOf(policy.spec ?? {}),
      `can select the same nodes as policy ${tie.metadata.name}, which is as specific: select others, or give one of the two a higher spec.priority`,
    ),
  ];
};

const countFaults = (others: readonly LifecyclePolicy[]): readonly FieldError[] =>
  others.length < MOST_POLICIES
    ? []
    : [forbiddenField('spec', `a cluster has at most ${MOST_POLICIES} policies`)];

const alone = storedObject<LifecyclePolicy>(
  {
    kind: KIND,
    message: 'rollcall.v1.NodeLifecyclePolicy',
    rules: validateLifecyclePolicy,
  },
  { ...withGeneration<LifecyclePolicy>({}), defaults: defaultLifecyclePolicy },
);

/** The rules that also look at the other policies. Faults of the policy itself come first, and alone. */
const among = (others: readonly LifecyclePolicy[]): Strategy<LifecyclePolicy> => ({
  ...alone,
  validate: (policy) => {
    const faults = alone.validate(policy);
    return faults.length > 0 ? faults : [...countFaults(others), ...tieFaults(policy, others)];
  },
  validateUpdate: (after, before) => {
    const faults = alone.validateUpdate(after, before);
    return faults.length > 0 ? faults : tieFaults(after, others);
  },
});

const prepared = async ({ objects }: CreateDeps): Promise<Strategy<LifecyclePolicy>> =>
  among(await Array.fromAsync(rowsIn(objects, LIFECYCLE_POLICIES, ''), ({ object }) => object));

/** How NodeLifecyclePolicies behave. A policy that ties with another one is refused. */
export const lifecyclePolicyStrategy: Strategy<LifecyclePolicy> = {
  ...alone,
  prepared: (_policy, deps) => prepared(deps),
  preparedForUpdate: (_namespace, deps) => prepared(deps),
};
