import { jobLabels } from '../../shared/kube/defaults/job.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import { mattersToOwner } from '../../shared/rules/workloads/children/pod-relevance.ts';
import { isTracked } from '../../shared/rules/workloads/job/job-pods.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import { podOf, type Step } from '../contract/step.ts';

interface ContainerStatus {
  readonly restartCount?: number;
}

/** How often containers of the pod were restarted: a Job may fail because of that. */
const restartsOf = (pod: Pod | undefined): number =>
  ['initContainerStatuses', 'containerStatuses']
    .flatMap((list) => (pod?.status?.[list] ?? []) as readonly ContainerStatus[])
    .reduce((sum, { restartCount = 0 }) => sum + restartCount, 0);

const JOB_LABELS = Object.keys(jobLabels({ name: '' }));

/** Whether the pod has a label that pods of Jobs have. Those of a selector that a user has chosen are found by the resync. */
const isLabelled = ({ after }: Step): boolean => {
  const labels = after?.object.metadata.labels ?? {};
  return JOB_LABELS.some((label) => labels[label] !== undefined);
};

/** A pod that is held for a Job that it no longer has: somebody has to let go of it. */
const abandoned = ({ key, uid, after }: Step): readonly Outgoing<WorkloadMessage>[] => {
  const { namespace, name } = key;
  const isHeld = after !== undefined && isTracked(after.object) && !controllerOf(after.object);
  return isHeld ? [{ body: { v: 1, kind: 'orphan', namespace, name, uid } }] : [];
};

const ofPod = (step: Step): readonly Outgoing<WorkloadMessage>[] => {
  const [before, after] = [podOf(step.before), podOf(step.after)];
  const isNews = mattersToOwner(before, after) || restartsOf(before) !== restartsOf(after);
  const orphans = isLabelled(step) ? orphansOf(step) : [];
  return [...(isNews ? ownersOf(step, 'Job') : []), ...(orphans.length > 0 ? orphans : abandoned(step))];
};

/** Messages for Jobs that want something else, whose pods change, and for pods without controller. */
export const routing: Routing<WorkloadMessage> = {
  route: (step) => {
    if (step.key.resource === 'pods') return ofPod(step);
    return step.key.resource === 'jobs' ? ofOwner(step) : [];
  },
  resync: async () => [],
};
