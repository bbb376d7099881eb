/** Controllers of `apps/v1`. */
import { ageOf } from '../../api/human-duration.ts';
import type { ApiObject } from '../../api/meta.ts';
import type { LabelSelector } from './label-text.ts';
import { labelText, selectorText } from './label-text.ts';
import type { Printer } from './printer.ts';
import { AGE_COLUMN, column, NAME_COLUMN, wideColumn } from './printer.ts';

interface Workload extends ApiObject {
  readonly spec?: {
    readonly replicas?: number;
    readonly selector?: LabelSelector;
    readonly template?: {
      readonly spec?: {
        readonly containers?: readonly { readonly name: string; readonly image?: string }[];
        readonly nodeSelector?: Readonly<Record<string, string>>;
      };
    };
  };
  readonly status?: Readonly<Record<string, unknown>>;
}

const CONTAINERS = wideColumn('Containers', 'The names of the containers in the template.');
const IMAGES = wideColumn('Images', 'The images of the containers in the template.');
const SELECTOR = wideColumn('Selector', 'The labels of the pods that belong to it.');

const count = ({ status }: Workload, field: string): number => {
  const value = status?.[field];
  return typeof value === 'number' ? value : 0;
};

const desired = ({ spec }: Workload): number => spec?.replicas ?? 0;

const containerCells = ({ spec }: Workload): readonly string[] => {
  const containers = spec?.template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
};

const integer = (name: string, description: string) => column(name, description, { type: 'integer' });

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

export const deploymentPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Ready', 'How many of the wanted pods are ready.'),
    // Numbers, in columns of text.
    column('Up-to-date', 'Pods of the present template.'),
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

/** The subresource `scale` of `autoscaling/v1`. */
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
