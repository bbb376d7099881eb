/** Which controllers share a function and a queue on AWS, and what the function has. */
import type { ControllerName } from './controllers.ts';

/** Controllers that one function runs, whose messages come by one queue. */
export interface Group {
  /** A message that does not say whom it is for, such as one of another AWS service, is for the first. */
  readonly controllers: readonly ControllerName[];
  /** MB. 1,769 come with a whole vCPU. */
  readonly memoryMb: number;
  readonly timeoutSeconds: number;
  /** Most messages of one invocation. They are handled at the same time. */
  readonly batchSize: number;
  /** Most environments at the same time; SQS allows no fewer than two. */
  readonly maxConcurrency: number;
}

/**
 * The groups. Pollers of queues and alarms are most of what an idle stack costs, and an environment that several controllers use is warm more
 * often. The node monitor and the eviction workers stay alone: nothing may delay a pass, and the queue paces the evictions of zones. What
 * deletes thousands of objects is not with what evicts pods.
 */
export const GROUPS = {
  /** One tick in each batch, so that a due tick does not wait for the pass of another. The lease of a pass lasts as long as the time-out. */
  'node-monitor': {
    controllers: ['node-monitor'],
    memoryMb: 256,
    timeoutSeconds: 10,
    batchSize: 1,
    maxConcurrency: 2,
  },
  /** A run waits up to four seconds for the next token of its zone, so few environments serve many zones. */
  'node-eviction': {
    controllers: ['node-eviction'],
    memoryMb: 256,
    timeoutSeconds: 20,
    batchSize: 10,
    maxConcurrency: 10,
  },
  /** After ten seconds a run queues the rest as a new message. The pods that it works on may take further time. */
  pods: {
    controllers: [
      'taint-eviction',
      'pod-readiness',
      'pod-gc',
      'drain',
      'capacity-release',
      'node-ipam',
      'hold',
    ],
    memoryMb: 256,
    timeoutSeconds: 120,
    batchSize: 5,
    maxConcurrency: 10,
  },
  /** One look creates up to 500 pods with their claims, eight at a time, and may first wait for the lag of the tables. */
  workloads: {
    controllers: [
      'replica-set',
      'stateful-set',
      'deployment',
      'daemon-set',
      'job',
      'disruption',
      'garbage-collector',
      'namespace',
    ],
    memoryMb: 512,
    timeoutSeconds: 120,
    batchSize: 5,
    maxConcurrency: 10,
  },
  /** A picture of 5,000 nodes and 100,000 pods, and more than half a vCPU to judge them. The second environment finds that the first has the turn. */
  scheduler: {
    controllers: ['scheduler'],
    memoryMb: 1024,
    timeoutSeconds: 90,
    batchSize: 10,
    maxConcurrency: 2,
  },
  /** 20,000 claims, volumes and attachments. A run may wait ten seconds after another one has crashed. */
  volumes: {
    controllers: ['volume-binder', 'attach-detach'],
    memoryMb: 512,
    timeoutSeconds: 90,
    batchSize: 10,
    maxConcurrency: 10,
  },
  /** Four requests to EC2 of eight seconds, and a turn that a crashed run has left. */
  cloud: {
    controllers: ['cloud-node', 'volume-attacher'],
    memoryMb: 256,
    timeoutSeconds: 90,
    batchSize: 10,
    maxConcurrency: 4,
  },
} as const satisfies Readonly<Record<string, Group>>;

export type GroupName = keyof typeof GROUPS;

export const GROUP_NAMES = Object.keys(GROUPS) as readonly GroupName[];

/** The groups of nodes and their pods, without workloads, scheduler and volumes: the profile `lifecycle`. */
export const LIFECYCLE_GROUPS: readonly GroupName[] = ['node-monitor', 'node-eviction', 'pods'];

const controllersOf = (group: GroupName): readonly ControllerName[] => GROUPS[group].controllers;

/** The group of a controller. Throws if it has none. */
export const groupOf = (controller: ControllerName): GroupName => {
  const found = GROUP_NAMES.find((group) => controllersOf(group).includes(controller));
  if (!found) throw new Error(`the controller ${controller} has no group`);
  return found;
};
