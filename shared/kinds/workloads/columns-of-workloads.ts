/** Printers of workloads, their pod templates and their revisions. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE } from '../fields/column.ts';
import type { LabelSelector } from '../fields/label-text.ts';
import { labelText, selectorText } from '../fields/label-text.ts';
import type { Template } from '../fields/template-cells.ts';
import { CONTAINERS, IMAGES, SELECTOR, templateCells } from '../fields/template-cells.ts';

interface Workload extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: Template;
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

const count = ({ status }: Workload, field: string): number => {
  const value = status?.[field];
  return typeof value === 'number' ? value : 0;
};

const desired = ({ spec }: Workload): number => spec?.replicas ?? 0;

const containerCells = ({ spec }: Workload): readonly string[] => templateCells(spec?.template);

const integer = (name: string, description: string) => column(name, description, { type: 'integer' });

/** The table of `kubectl get daemonsets`. */
export const daemonSetPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    integer('Desired', 'Nodes that are to run the pod.'),
    integer('Current', 'Nodes that run the pod and are to.'),
    integer('Ready', 'Nodes whose pod is ready.'),
    integer('Up-to-date', 'Nodes whose pod is of the present template.'),
    integer('Available', 'Nodes whose pod has been ready for long enough.'),
    column('Node Selector', 'The labels of the nodes that are to run the pod.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  cells: (set: Workload, now) => [
    set.metadata.name,
    count(set, 'desiredNumberScheduled'),
    count(set, 'currentNumberScheduled'),
    count(set, 'numberReady'),
    count(set, 'updatedNumberScheduled'),
    count(set, 'numberAvailable'),
    labelText(set.spec?.template?.spec?.nodeSelector),
    ageOf(set.metadata.creationTimestamp, now),
    ...containerCells(set),
    selectorText(set.spec?.selector),
  ],
};

/** The table of `kubectl get replicasets`. */
export const replicaSetPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    integer('Desired', 'Pods that are wanted.'),
    integer('Current', 'Pods that there are.'),
    integer('Ready', 'Pods that are ready.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  cells: (set: Workload, now) => [
    set.metadata.name,
    desired(set),
    count(set, 'replicas'),
    count(set, 'readyReplicas'),
    ageOf(set.metadata.creationTimestamp, now),
    ...containerCells(set),
    selectorText(set.spec?.selector),
  ],
};

/** The table of `kubectl get statefulsets`. */
export const statefulSetPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Ready', 'How many of the wanted pods are ready.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
  ],
  cells: (set: Workload, now) => [
    set.metadata.name,
    `${count(set, 'readyReplicas')}/${desired(set)}`,
    ageOf(set.metadata.creationTimestamp, now),
    ...containerCells(set),
  ],
};

/** The table of `kubectl get deployments`. */
export const deploymentPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Ready', 'How many of the wanted pods are ready.'),
    // In Kubernetes, too, the values are numbers although the column's type is string.
    column('Up-to-date', 'Pods of the current template.'),
    column('Available', 'Pods that have been ready for long enough.'),
    AGE_COLUMN,
    CONTAINERS,
    IMAGES,
    SELECTOR,
  ],
  cells: (deployment: Workload, now) => [
    deployment.metadata.name,
    `${count(deployment, 'readyReplicas')}/${desired(deployment)}`,
    count(deployment, 'updatedReplicas'),
    count(deployment, 'availableReplicas'),
    ageOf(deployment.metadata.creationTimestamp, now),
    ...containerCells(deployment),
    selectorText(deployment.spec?.selector),
  ],
};

/** The table of the subresource `scale` (`autoscaling/v1`). */
export const scalePrinter: Printer = {
  columns: [
    { ...NAME_COLUMN, format: '' },
    integer('Desired', 'Pods that are wanted.'),
    integer('Available', 'Pods that there are.'),
    AGE_COLUMN,
  ],
  cells: (scale: Workload, now) => [
    scale.metadata.name,
    desired(scale),
    count(scale, 'replicas'),
    ageOf(scale.metadata.creationTimestamp, now),
  ],
};

interface ReplicationController extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: Readonly<Record<string, string>>;
    readonly template?: Template;
  };
}

/** The table of `kubectl get replicationcontrollers`: that of ReplicaSets, with a map of labels as selector. */
export const replicationControllerPrinter: Printer = {
  columns: replicaSetPrinter.columns,
  cells: ({ spec, ...object }: ReplicationController, now) => {
    const { selector, ...rest } = spec ?? {};
    const matched = { ...rest, ...(selector ? { selector: { matchLabels: selector } } : {}) };
    const workload: Workload = { ...object, spec: matched };
    return replicaSetPrinter.cells(workload, now);
  },
};

interface PodTemplate extends ApiObject {
  readonly template?: Template;
}

/** The table of `kubectl get podtemplates`. */
export const podTemplatePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Containers', 'The names of the containers in the template.'),
    column('Images', 'The images of the containers in the template.'),
    column('Pod Labels', 'The labels of the template.'),
  ],
  cells: ({ metadata, template }: PodTemplate) => [
    metadata.name,
    ...templateCells(template),
    labelText(template?.metadata?.labels),
  ],
};

interface ControllerRevision extends ApiObject {
  readonly revision?: number;
}

const controllerText = ({ metadata }: ApiObject): string => {
  const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
  if (!owner) return NONE;
  const group = owner.apiVersion.includes('/') ? `.${owner.apiVersion.split('/')[0] ?? ''}` : '';
  return `${`${owner.kind}${group}`.toLowerCase()}/${owner.name}`;
};

/** The table of `kubectl get controllerrevisions`. */
export const controllerRevisionPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Controller', 'The object whose state it holds.'),
    column('Revision', 'Counts the states of the object.'),
    AGE_COLUMN,
  ],
  cells: (object: ControllerRevision, now) => [
    object.metadata.name,
    controllerText(object),
    object.revision ?? 0,
    ageOf(object.metadata.creationTimestamp, now),
  ],
};
