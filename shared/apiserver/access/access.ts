/** An access question (who wants to do what) and the answer of one rule. */
import type { Pod } from '../../kube/types/core.ts';

/**
 * The access to a resource that is to be decided: that of a request, or one that a review asks about. A verb may
 * be any word.
 */
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

/** The access to a path that is not a resource, such as `/healthz`. `verb` is the method in lower case. */
export interface PathAccess {
  readonly verb: string;
  readonly path: string;
}

/**
 * The answer of one rule. `noOpinion`: another rule may still allow the access; `why` is added to the message of
 * the refusal.
 */
export type Access =
  | { readonly decision: 'allow' }
  | { readonly decision: 'noOpinion'; readonly why?: string };

/** The answer that allows the access. */
export const ALLOW: Access = { decision: 'allow' };
/** The answer of a rule that does not apply, without a reason. */
export const NO_OPINION: Access = { decision: 'noOpinion' };

/** Facts that a decision may look up. */
export interface AccessFacts {
  /** The request's field selector; `''` without one. */
  readonly fieldSelector: string;
  /** Node that a pod is bound to; `undefined` when there is no such pod. */
  readonly nodeOfPod: (namespace: string, name: string) => Promise<string | undefined>;
  /** Pods that are bound to a node. */
  readonly podsOfNode: (node: string) => Promise<readonly Pod[]>;
  /** Node that a VolumeAttachment is for; `undefined` when there is none. */
  readonly nodeOfAttachment: (name: string) => Promise<string | undefined>;
}
