/** What the agent of a node says about a pod that its topology manager has refused: the message of a condition of the pod. */
import { isObject } from '../../kube/json/json-object.ts';

/** The condition whose message it is. */
export const TOPOLOGY_CONDITION = 'rollcall.dev/Topology';

/** NUMA nodes, such as `0-1`; absent: any. */
export interface ToldHint {
  readonly nodes?: string;
  readonly isPreferred: boolean;
}

/** Where a container could get a resource: anywhere without `hints`, nowhere if there are none. */
export interface ToldResource {
  readonly resource: string;
  readonly hints?: readonly ToldHint[];
  /** How many hints are not told. */
  readonly more?: number;
}

/** Why a pod, or one of its containers, was refused. */
export interface TopologyNote {
  /** Absent: the pod as a whole. */
  readonly container?: string;
  readonly policy: string;
  readonly resources: readonly ToldResource[];
  /** The best that all resources come to together. */
  readonly merged: ToldHint;
  /** What the policy best-effort would have taken. */
  readonly bestEffort: ToldHint;
}

/** The message. */
export const topologyNoteText = (note: TopologyNote): string => JSON.stringify(note);

/** A node may write anything. */
const MOST_LENGTH = 16_384;

const isText = (value: unknown): boolean => typeof value === 'string';

const isHint = (value: unknown): boolean =>
  isObject(value) &&
  typeof value['isPreferred'] === 'boolean' &&
  (value['nodes'] === undefined || isText(value['nodes']));

const isResource = (value: unknown): boolean => {
  if (!isObject(value) || !isText(value['resource'])) return false;
  const { hints, more } = value;
  const isCount = more === undefined || Number.isSafeInteger(more);
  return isCount && (hints === undefined || (Array.isArray(hints) && hints.every(isHint)));
};

const isNote = (value: unknown): value is TopologyNote => {
  if (!isObject(value) || !isText(value['policy'])) return false;
  const { container, resources, merged, bestEffort } = value;
  const isWhole = container === undefined || isText(container);
  const isListed = Array.isArray(resources) && resources.every(isResource);
  return isWhole && isListed && isHint(merged) && isHint(bestEffort);
};

/** `undefined`: the message is none of ours. */
export const readTopologyNote = (message: string): TopologyNote | undefined => {
  if (message.length > MOST_LENGTH) return undefined;
  try {
    const value: unknown = JSON.parse(message);
    return isNote(value) ? value : undefined;
  } catch {
    return undefined;
  }
};
