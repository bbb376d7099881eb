/** What the agent answers about a pod that the control plane has given to this node. Source: kubernetes v1.34 pkg/kubelet/lifecycle. */
import type { TopologyNote } from '../../../shared/rules/pods/topology-note.ts';

/** Why a pod is not run: reason and message of its status. */
export interface Rejection {
  readonly admit: false;
  readonly reason: string;
  readonly message: string;
  /** What explains it further; see `topology-note.ts`. */
  readonly note?: TopologyNote;
}

export type Verdict = { readonly admit: true } | Rejection;

export const ADMITTED: Verdict = { admit: true };

export const rejection = (reason: string, message: string): Rejection => ({ admit: false, reason, message });

/** The reason of a rejection that no rule foresees. */
export const UNEXPECTED_ADMISSION_ERROR = 'UnexpectedAdmissionError';
