/** The question who may do what, and the answer of one rule about it. */
import type { Pod } from '../../api/core.ts';

/** What somebody wants to do: a request, or what a review asks about. Verbs are any word. */
export interface ResourceAccess {
  readonly verb: string;
  /** `''` for the core group. */
  readonly group: string;
  readonly resource: string;
  readonly subresource: string;
  /** `''` at the cluster scope. */
  readonly namespace: string;
  /** `''` for a collection. */
  readonly name: string;
}

export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/** `noOpinion`: another rule may still allow it; `why` is added to the refusal. */
export type Access =
  | { readonly decision: 'allow' }
  | { readonly decision: 'noOpinion'; readonly why?: string };

export const ALLOW: Access = { decision: 'allow' };
export const NO_OPINION: Access = { decision: 'noOpinion' };

/** What a decision may look up. */
export interface AccessFacts {
  /** `''` without one. */
  readonly fieldSelector: string;
  /** Node that a pod is bound to; `undefined` when there is no such pod. */
  readonly nodeOfPod: (namespace: string, name: string) => Promise<string | undefined>;
  /** Pods that are bound to a node. */
  readonly podsOfNode: (node: string) => Promise<readonly Pod[]>;
  /** Node that a VolumeAttachment is for; `undefined` when there is none. */
  readonly nodeOfAttachment: (name: string) => Promise<string | undefined>;
}
