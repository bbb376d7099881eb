/** What becomes of a pod that the agent does not run. Source: kubernetes v1.34 pkg/kubelet `rejectPod`. */
import { podQosClass } from '../../../shared/kube/defaults/qos-class.ts';
import type { Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import { TOPOLOGY_CONDITION, topologyNoteText } from '../../../shared/rules/pods/topology-note.ts';
import { type AgentPod, isTerminalPhase } from '../containers/agent-pod.ts';
import type { Rejection } from '../pods/verdict.ts';

/** An Event about the pod. */
export interface PodEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}

/** What Go makes of a text that it takes for a format, without arguments. Source: Go `fmt` `doPrintf`. */
const ARGUMENT = String.raw`(?:\[[^\]]*\])?`;
const DIRECTIVE = new RegExp(
  `%[#0+ -]*(${ARGUMENT})(\\*|\\d*)(?:\\.(${ARGUMENT})(\\*|\\d*))?(${ARGUMENT})(.?)`,
  'gsu',
);

/** The status that replaces the pod's. The pod is never tried again. */
export const rejectedStatus = (
  pod: Pick<Pod, 'spec' | 'status'>,
  { reason, message, note }: Rejection,
): PodStatus & { readonly phase: 'Failed' } => ({
  phase: 'Failed',
  reason,
  message: `Pod was rejected: ${message}`,
  qosClass: podQosClass(pod),
  ...(note && {
    conditions: [{ type: TOPOLOGY_CONDITION, status: 'False', reason, message: topologyNoteText(note) }],
  }),
});

/** Whether the pod was refused by an agent that ran before: it ended, and no container of it ever was. */
export const wasRejected = ({ metadata, status }: Pick<AgentPod, 'metadata' | 'status'>): boolean =>
  metadata.deletionTimestamp === undefined &&
  isTerminalPhase(status?.phase) &&
  (status?.containerStatuses ?? []).length === 0;

const ending = (verb: string, isIndexed: boolean): string => {
  if (verb === '') return '%!(NOVERB)';
  if (verb === '%') return '%';
  return `%!${verb}(${isIndexed ? 'BADINDEX' : 'MISSING'})`;
};

/** The text that `Sprintf(text)` returns: each verb is replaced by the complaint that its argument is missing. */
export const formattedWithoutArguments = (text: string): string =>
  text.replaceAll(
    DIRECTIVE,
    (_, first: string, width: string, second = '', precision = '', third: string, verb: string) =>
      (width === '*' ? '%!(BADWIDTH)' : '') +
      (precision === '*' ? '%!(BADPREC)' : '') +
      ending(verb, `${first}${second}${third}` !== ''),
  );

/** The Event. The kubelet passes the message as a format: a percent sign in it is taken for a verb. */
export const rejectionEvent = ({ reason, message }: Rejection): PodEvent => ({
  type: 'Warning',
  reason,
  message: formattedWithoutArguments(message),
});
