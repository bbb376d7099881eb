/** How each review is answered. Few clients send any, so this file is loaded when one comes. */

import { nodeNameOf, type User } from '../../kinds/contract/user.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { type PolicyRule, rulesOf } from '../access/policy.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-reviews.ts';
import { selfSubjectReview, tokenReview } from './authentication-reviews.ts';
import { type ReviewKind, reviewVerb } from './review.ts';
import { reviewKind } from './review-kind.ts';

interface RulesSpec {
  readonly namespace?: string;
}

const verbOf = <Spec>(reviewed: ReviewKind<Spec>): readonly [string, Handle<ApiServerDeps>] => [
  reviewed.kind.kind,
  reviewVerb(reviewed),
];

const isAboutPaths = ({ nonResourceURLs }: PolicyRule): boolean => nonResourceURLs !== undefined;

/**
 * Access of a node also depends on the pods that it runs, so its list of rules is incomplete. Source: kubernetes
 * v1.34 `NodeAuthorizer.RulesFor`.
 */
const completenessOf = (user: User): object =>
  nodeNameOf(user) === undefined
    ? { incomplete: false }
    : { incomplete: true, evaluationError: 'node authorizer does not support user rule resolution' };

/** SelfSubjectRulesReview: answers with the rules of the sender's groups in a namespace. */
const selfSubjectRulesReview: ReviewKind<RulesSpec> = {
  kind: reviewKind('authorization.k8s.io', 'SelfSubjectRulesReview'),
  answer: async ({ spec }, { user }) => {
    if (!spec?.namespace) throw badRequest('no namespace on request');
    const rules = rulesOf(user);
    return {
      metadata: {},
      spec: {},
      status: {
        resourceRules: rules.filter((rule) => !isAboutPaths(rule)),
        nonResourceRules: rules.filter(isAboutPaths),
        ...completenessOf(user),
      },
    };
  },
};

/** What answers a POST, by kind. */
export const REVIEWS: ReadonlyMap<string, Handle<ApiServerDeps>> = new Map([
  verbOf(localSubjectAccessReview),
  verbOf(selfSubjectAccessReview),
  verbOf(selfSubjectReview),
  verbOf(selfSubjectRulesReview),
  verbOf(subjectAccessReview),
  verbOf(tokenReview),
]);
