/** Pods that a shutdown was about to end: what was decided of them holds although their last status may not have reached the API. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { type AgentPod, isTerminalPhase } from '../containers/agent-pod.ts';

/** When it was decided that the shutdown ends the pod, before its first signal. */
export interface DecidedEnd {
  readonly uid: string;
  readonly at: EpochMs;
}

/** The text of the file. */
export const decidedEndsText = (ends: readonly DecidedEnd[]): string => JSON.stringify({ pods: ends });

const isDecidedEnd = (value: unknown): value is DecidedEnd => {
  const { uid, at } = (value ?? {}) as Partial<DecidedEnd>;
  return typeof uid === 'string' && typeof at === 'number';
};

/** Reads the file; none if it is not one. */
export const parseDecidedEnds = (text: string): readonly DecidedEnd[] => {
  try {
    const { pods } = JSON.parse(text) as { readonly pods?: unknown };
    return Array.isArray(pods) ? pods.filter(isDecidedEnd) : [];
  } catch {
    return [];
  }
};

/** Those of which the API does not know yet; `pods` are all of the node as the API has them. */
export const unsettledEnds = (
  ends: readonly DecidedEnd[],
  pods: readonly AgentPod[],
): readonly DecidedEnd[] => {
  const open = new Set(
    pods.filter(({ status }) => !isTerminalPhase(status?.phase)).map(({ metadata }) => metadata.uid),
  );
  return ends.filter(({ uid }) => open.has(uid));
};
