/** What the scheduler keeps of an object. A picture of 100,000 pods has to fit into the memory of one process. */
import type { Node, Pod } from '../../../shared/kube/types/core.ts';
import type { ApiObject, Condition, ObjectMeta } from '../../../shared/kube/types/meta.ts';
import { DISRUPTION_TARGET, READY } from '../../../shared/kube/types/well-known.ts';
import type { Container, PodVolume } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';
import { schedulingSpec } from '../../../shared/rules/scheduling/pods/scheduling-spec.ts';

type Fields = Readonly<Record<string, unknown>>;

/** The members of these names that the object has. */
const pick = (from: Fields, names: readonly string[]): Fields =>
  Object.fromEntries(names.filter((name) => from[name] !== undefined).map((name) => [name, from[name]]));

const META = [
  'name',
  'namespace',
  'uid',
  'labels',
  'annotations',
  'creationTimestamp',
  'deletionTimestamp',
  'ownerReferences',
] as const;

const metaOf = ({ metadata }: ApiObject, names: readonly string[] = META): ObjectMeta =>
  pick({ ...metadata }, names) as unknown as ObjectMeta;

const CONTAINER = ['name', 'image', 'restartPolicy', 'resources', 'ports'];
const CONTAINER_STATUS = ['name', 'resources', 'allocatedResources'];
const POD_CONDITIONS = [DISRUPTION_TARGET, 'PodResizePending'];
const NO_ANNOTATIONS = META.filter((name) => name !== 'annotations');

const slimContainers = (containers: readonly Container[] | undefined): readonly Fields[] | undefined =>
  containers?.map((one) => pick({ ...one }, CONTAINER));

const slimStatuses = (statuses: unknown): readonly Fields[] | undefined => {
  const resized = (Array.isArray(statuses) ? (statuses as readonly Fields[]) : []).filter(
    ({ resources, allocatedResources }) => resources ?? allocatedResources,
  );
  return resized.length === 0 ? undefined : resized.map((one) => pick(one, CONTAINER_STATUS));
};

const ofTypes = (
  conditions: readonly Condition[] | undefined,
  types: readonly string[],
): readonly Condition[] | undefined => {
  const found = conditions?.filter(({ type }) => types.includes(type)) ?? [];
  return found.length === 0 ? undefined : found;
};

const podStatus = ({ status = {} }: Pod): Fields => ({
  ...pick({ ...status }, ['phase', 'startTime', 'nominatedNodeName']),
  ...pick(
    {
      conditions: ofTypes(status.conditions, POD_CONDITIONS),
      containerStatuses: slimStatuses(status['containerStatuses']),
      initContainerStatuses: slimStatuses(status['initContainerStatuses']),
    },
    ['conditions', 'containerStatuses', 'initContainerStatuses'],
  ),
});

/** Sources of volumes that bind a pod to no node. That of a ServiceAccount's token has a name of its own in each pod: without it pods of one template are alike. */
const ANYWHERE = ['configMap', 'downwardAPI', 'emptyDir', 'hostPath', 'image', 'projected', 'secret'];

const slimVolumes = (volumes: readonly PodVolume[] = []): readonly PodVolume[] | undefined => {
  const some = volumes.filter((volume) => ANYWHERE.every((source) => volume[source] === undefined));
  return some.length === 0 ? undefined : some;
};

/** The pod as the scheduler's rules read it. */
export const slimPod = (pod: Pod): Pod => {
  const { containers, initContainers, volumes, ...spec } = schedulingSpec(pod);
  const lists = pick(
    {
      containers: slimContainers(containers),
      initContainers: slimContainers(initContainers),
      volumes: slimVolumes(volumes),
    },
    ['containers', 'initContainers', 'volumes'],
  );
  return {
    ...pod,
    metadata: metaOf(pod, NO_ANNOTATIONS),
    spec: { ...spec, ...lists },
    status: podStatus(pod),
  };
};

/** Without its times, which change with each report. */
const readyOf = (conditions: readonly Condition[] | undefined) =>
  ofTypes(conditions, [READY])?.map(({ type, status }) => ({ type, status }));

/** The node as the scheduler's rules, and the condition of a bind, read it. */
export const slimNode = (node: Node): Node => {
  const { status = {} } = node;
  return {
    ...node,
    metadata: metaOf(node, NO_ANNOTATIONS),
    status: {
      ...pick({ ...status }, ['allocatable', 'images']),
      ...pick({ conditions: readyOf(status.conditions) }, ['conditions']),
    },
  };
};

/** Any other object, without the fields that no rule reads. */
export const slimOther = (object: ApiObject): ApiObject => ({ ...object, metadata: metaOf(object) });
