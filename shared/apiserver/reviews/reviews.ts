/** How each review is answered. Few clients send any, so this file is loaded when one comes. */
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { localSubjectAccessReview, selfSubjectAccessReview, subjectAccessReview } from './access-reviews.ts';
import { selfSubjectReview, tokenReview } from './authentication-reviews.ts';
import { type ReviewKind, reviewVerb } from './review.ts';
import { selfSubjectRulesReview } from './rules-review.ts';

const verbOf = <Spec>(reviewed: ReviewKind<Spec>): readonly [string, Handle<ApiServerDeps>] => [
  reviewed.kind.kind,
  reviewVerb(reviewed),
];

/** What answers a POST, by kind. */
export const REVIEWS: ReadonlyMap<string, Handle<ApiServerDeps>> = new Map([
  verbOf(localSubjectAccessReview),
  verbOf(selfSubjectAccessReview),
  verbOf(selfSubjectReview),
  verbOf(selfSubjectRulesReview),
  verbOf(subjectAccessReview),
  verbOf(tokenReview),
]);
