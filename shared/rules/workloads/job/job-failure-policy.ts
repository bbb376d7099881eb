/** Rules of a Job about its failed pods, and about its success. Source: kubernetes v1.34 pkg/controller/job `pod_failure_policy.go`, `success_policy.go`. */
import type { Pod } from '../../../kube/types/core.ts';
import type { Job } from '../../../kube/types/workloads.ts';
import { parseIndexes } from './job-indexes.ts';

type Action = 'FailJob' | 'FailIndex' | 'Ignore' | 'Count';

interface ExitCodeRule {
  readonly containerName?: string | null;
  readonly operator?: string;
  readonly values?: readonly number[];
}

interface FailureRule {
  readonly action: Action;
  readonly onExitCodes?: ExitCodeRule | null;
  readonly onPodConditions?: readonly { readonly type: string; readonly status?: string }[] | null;
}

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

/** What the policy says about a failed pod. Without a matching rule it counts. */
export interface FailureVerdict {
  readonly action?: Action;
  /** Why the whole Job fails. */
  readonly message?: string;
}

const containersOf = ({ status }: Pod): readonly ContainerStatus[] =>
  ['containerStatuses', 'initContainerStatuses'].flatMap(
    (list) => (status?.[list] ?? []) as readonly ContainerStatus[],
  );

const exitCodeOf = ({ state }: ContainerStatus): number => state?.terminated?.exitCode ?? 0;

const matchesCode = ({ operator, values = [] }: ExitCodeRule, code: number): boolean =>
  operator === 'NotIn' ? !values.includes(code) : values.includes(code);

const failedContainer = (rule: ExitCodeRule, pod: Pod): ContainerStatus | undefined =>
  containersOf(pod).find((container) => {
    const isMeant = (rule.containerName ?? container.name) === container.name;
    return isMeant && exitCodeOf(container) !== 0 && matchesCode(rule, exitCodeOf(container));
  });

const describe = ({ metadata }: Pod): string => `${metadata.namespace ?? ''}/${metadata.name}`;

/** What in the pod matches the rule, as it stands in messages. */
const matchOf = (
  { action, onExitCodes, onPodConditions }: FailureRule,
  pod: Pod,
  index: number,
): string | undefined => {
  const rule = `matching ${action} rule at index ${index}`;
  if (onExitCodes) {
    const container = failedContainer(onExitCodes, pod);
    return (
      container &&
      `Container ${container.name} for pod ${describe(pod)} failed with exit code ${exitCodeOf(container)} ${rule}`
    );
  }
  const condition = pod.status?.conditions?.find(({ type, status }) =>
    (onPodConditions ?? []).some((pattern) => pattern.type === type && (pattern.status ?? 'True') === status),
  );
  return condition && `Pod ${describe(pod)} has condition ${condition.type} ${rule}`;
};

/** What the Job's `podFailurePolicy` says about a failed pod: the first rule that matches (W-169). */
export const failureVerdict = ({ spec }: Job, pod: Pod): FailureVerdict => {
  const { rules = [] } = (spec?.podFailurePolicy ?? {}) as { readonly rules?: readonly FailureRule[] };
  for (const [index, rule] of rules.entries()) {
    const message = matchOf(rule, pod, index);
    if (message !== undefined)
      return rule.action === 'FailJob' ? { action: 'FailJob', message } : { action: rule.action };
  }
  return {};
};

interface SuccessRule {
  readonly succeededIndexes?: string | null;
  readonly succeededCount?: number | null;
}

const isMet = (
  { succeededIndexes, succeededCount }: SuccessRule,
  succeeded: ReadonlySet<number>,
  most: number,
): boolean => {
  if (succeededIndexes === undefined || succeededIndexes === null)
    return succeeded.size >= (succeededCount ?? most);
  const required = parseIndexes(succeededIndexes, most);
  const count = [...required].filter((index) => succeeded.has(index)).length;
  return count >= (succeededCount ?? required.size);
};

/** Which rule of `successPolicy` is met, as it stands in the condition; `undefined` if none is (W-170). */
export const metSuccessRule = ({ spec }: Job, succeeded: ReadonlySet<number>): string | undefined => {
  const { rules = [] } = (spec?.successPolicy ?? {}) as { readonly rules?: readonly SuccessRule[] };
  const index = rules.findIndex((rule) => isMet(rule, succeeded, spec?.completions ?? 0));
  return index === -1 ? undefined : `Matched rules at index ${index}`;
};
