/** Reviews: questions that are answered, and never stored. */
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Resource } from '../contract/resource.ts';
import { reviewKind } from '../reviews/review-kind.ts';

const handleOf = async (kind: string): Promise<Handle<ApiServerDeps>> => {
  const handle = (await import('../reviews/reviews.ts')).REVIEWS.get(kind);
  if (!handle) throw new Error(`nothing answers a ${kind}`);
  return handle;
};

const review = (...named: Parameters<typeof reviewKind>): Resource => {
  const kind = reviewKind(...named);
  return {
    ...kind,
    singular: kind.kind.toLowerCase(),
    verbs: { create: async (call, deps) => (await handleOf(kind.kind))(call, deps) },
    subresources: {},
  };
};

const [AUTHENTICATION, AUTHORIZATION] = ['authentication.k8s.io', 'authorization.k8s.io'];

/** The reviews that are served. */
export const REVIEW_RESOURCES: readonly Resource[] = [
  review(AUTHENTICATION, 'SelfSubjectReview'),
  review(AUTHENTICATION, 'TokenReview'),
  review(AUTHORIZATION, 'LocalSubjectAccessReview', { namespaced: true }),
  review(AUTHORIZATION, 'SelfSubjectAccessReview'),
  review(AUTHORIZATION, 'SelfSubjectRulesReview'),
  review(AUTHORIZATION, 'SubjectAccessReview'),
];
