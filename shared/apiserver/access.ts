/** The answer of one rule about who may do what. */

/** `noOpinion`: another rule may still allow it; `why` is added to the refusal. */
export type Access =
  | { readonly decision: 'allow' }
  | { readonly decision: 'noOpinion'; readonly why?: string };

export const ALLOW: Access = { decision: 'allow' };
export const NO_OPINION: Access = { decision: 'noOpinion' };

/** What a decision may look up. */
export interface AccessFacts {
  readonly query: URLSearchParams;
  /** Node that a pod is bound to; `undefined` when there is no such pod. */
  readonly nodeOfPod: (namespace: string, name: string) => Promise<string | undefined>;
}
