/** SelfSubjectRulesReview: lists what the sender may do in a namespace. */

import type { User } from '../../kinds/contract/user.ts';
import { nodeNameOf } from '../../kinds/contract/user.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import type { PolicyRule } from '../access/policy.ts';
import { rulesOf } from '../access/policy.ts';
import type { ReviewKind } from './review.ts';
import { reviewKind } from './review-kind.ts';

interface RulesSpec {
  readonly namespace?: string;
}

const isAboutPaths = ({ nonResourceURLs }: PolicyRule): boolean => nonResourceURLs !== undefined;

/**
 * Access of a node also depends on the pods that it runs, so its list of rules is incomplete. Source: kubernetes
 * v1.34 `NodeAuthorizer.RulesFor`.
 */
const completenessOf = (user: User): object =>
  nodeNameOf(user) === undefined
    ? { incomplete: false }
    : { incomplete: true, evaluationError: 'node authorizer does not support user rule resolution' };

/** Answers with the rules of the sender's groups. */
export const selfSubjectRulesReview: ReviewKind<RulesSpec> = {
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
