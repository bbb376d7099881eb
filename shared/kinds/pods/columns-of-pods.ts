import { ageOf } from '../../kube/text/human-duration.ts';
import type { Printer, RowCondition } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, wideColumn } from '../fields/column.ts';
import type { PrintedPod } from './container-status-text.ts';
import { isTrue } from './container-status-text.ts';
import { podReadiness, podRestarts, podWord } from './pod-status-text.ts';

const gatesOf = (pod: PrintedPod): string => {
  const gates = pod.spec?.readinessGates ?? [];
  const open = gates.filter(({ conditionType }) => isTrue(pod, conditionType));
  return gates.length === 0 ? NONE : `${open.length}/${gates.length}`;
};

const completed = (reason: string, message: string): readonly RowCondition[] => [
  { type: 'Completed', status: 'True', reason, message },
];

/** Row conditions by which kubectl recognizes completed pods. */
const COMPLETED: ReadonlyMap<string | undefined, readonly RowCondition[]> = new Map([
  ['Succeeded', completed('Succeeded', 'The pod has completed successfully.')],
  ['Failed', completed('Failed', 'The pod failed.')],
]);

/** The table of `kubectl get pods`. */
export const podPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Ready', 'How many of the containers are ready.'),
    column('Status', 'What the pod is doing, in one word.'),
    column('Restarts', 'How often containers were restarted, and how long ago the last time was.'),
    AGE_COLUMN,
    wideColumn('IP', 'The first address of the pod.'),
    wideColumn('Node', 'The node that the pod is bound to.'),
    wideColumn('Nominated Node', 'The node on which room is being made for the pod.'),
    wideColumn('Readiness Gates', 'How many of the additional conditions of readiness are met.'),
  ],
  cells: (pod: PrintedPod, now) => [
    pod.metadata.name,
    podReadiness(pod),
    podWord(pod),
    podRestarts(pod, now),
    ageOf(pod.metadata.creationTimestamp, now),
    (pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP) || NONE,
    pod.spec?.nodeName || NONE,
    pod.status?.nominatedNodeName || NONE,
    gatesOf(pod),
  ],
  conditions: ({ status }: PrintedPod) => COMPLETED.get(status?.phase),
};
