import { jobLabels } from '../../shared/kube/defaults/job.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import { controllerOf } from '../../shared/kube/values/controller-of.ts';
import type { WorkloadMessage } from '../../shared/ports/process/messages.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { mattersToOwner } from '../../shared/rules/workloads/children/pod-relevance.ts';
import { isTracked } from '../../shared/rules/workloads/job/job-pods.ts';
import type { Outgoing, Routing } from '../contract/controller.ts';
import { ofOwner, orphansOf, ownersOf } from '../contract/owner-routing.ts';
import { podOf, type Step } from '../contract/step.ts';
import type { JobMessage } from './message.ts';

type Messages = readonly Outgoing<JobMessage>[];

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

/** Whether the pod is held for a Job that it no longer has. */
export const isAbandoned = (pod: ApiObject): boolean => isTracked(pod) && !controllerOf(pod);

/** A message for the Job that the pod is held for, which may be gone, or for the pod if it has no controller; none for other pods. */
export const ofHeldPod = ({ key: { namespace, name }, uid, object }: LiveRow): readonly WorkloadMessage[] => {
  if (!isTracked(object)) return [];
  const owner = controllerOf(object);
  if (!owner) return [{ v: 1, kind: 'orphan', namespace, name, uid }];
  return owner.kind === 'Job' ? [{ v: 1, kind: 'owner', namespace, name: owner.name, uid: owner.uid }] : [];
};

/** Makes the controller let go of a pod that is held for a Job that it no longer has. */
const abandoned = ({ after }: Step): Messages =>
  after && isAbandoned(after.object) ? ofHeldPod(after).map((body) => ({ body })) : [];

const ofPod = (step: Step): Messages => {
  const [before, after] = [podOf(step.before), podOf(step.after)];
  const isNews = mattersToOwner(before, after) || restartsOf(before) !== restartsOf(after);
  const orphans = isLabelled(step) ? orphansOf(step) : [];
  return [...(isNews ? ownersOf(step, 'Job') : []), ...(orphans.length > 0 ? orphans : abandoned(step))];
};

/** A Job that is gone may have left pods whose deletion began earlier, so that no change of theirs tells of it. */
const ofJob = (step: Step): Messages => {
  const { namespace, name } = step.key;
  return step.after ? ofOwner(step) : [{ body: { v: 1, kind: 'owner', namespace, name, uid: step.uid } }];
};

const isGoing = (row: LiveRow | undefined): boolean => row?.object.metadata.deletionTimestamp !== undefined;

/** Jobs whose pods are being deleted already hear only of the end of their namespace by this message. */
const ofNamespace = ({ key: { name }, before, after }: Step): Messages =>
  isGoing(after) && !isGoing(before) ? [{ body: { v: 1, kind: 'namespace', namespace: name } }] : [];

const ROUTES: Readonly<Record<string, (step: Step) => Messages>> = {
  pods: ofPod,
  jobs: ofJob,
  namespaces: ofNamespace,
};

/** Messages for Jobs that want something else, are gone, or whose pods change; for pods without controller; for namespaces that go. */
export const routing: Routing<JobMessage> = {
  route: (step) => ROUTES[step.key.resource]?.(step) ?? [],
  resync: async () => [],
};
