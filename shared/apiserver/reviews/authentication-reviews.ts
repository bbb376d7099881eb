/** Authentication reviews: SelfSubjectReview, TokenReview. Source: kubernetes v1.34 `pkg/registry/authentication`. */

import type { User } from '../../kinds/contract/user.ts';
import { badRequest, hasReason, type StatusError } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import { toTime } from '../../kube/values/time.ts';
import { readToken, type TokenReading } from '../access/authentication.ts';
import { checkBoundObjects } from '../access/bound-objects.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { ReviewKind } from './review.ts';
import { reviewKind } from './review-kind.ts';

const GROUP = 'authentication.k8s.io';

const userInfoOf = ({ name, uid, groups, extra }: User): object => ({
  username: name,
  ...optional('uid', uid),
  groups,
  ...optional('extra', extra),
});

/** Answers with the sender's user attributes. */
export const selfSubjectReview: ReviewKind<never> = {
  kind: reviewKind(GROUP, 'SelfSubjectReview'),
  answer: async (_review, { user }, { clock }) => ({
    metadata: { creationTimestamp: toTime(clock.now()) },
    status: { userInfo: userInfoOf(user) },
  }),
};

interface TokenSpec {
  readonly token?: string;
  readonly audiences?: readonly string[];
}

const INVALID = 'invalid bearer token';

const badToken = ({ message }: StatusError): object => {
  const why = message.replace(/^Unauthorized(: )?/, '');
  return { user: {}, error: why === '' ? INVALID : `[${INVALID}, ${why}]` };
};

const goodToken = ({ user, audiences }: TokenReading, wanted: readonly string[] | undefined): object => ({
  authenticated: true,
  user: userInfoOf(user),
  audiences: wanted ? audiences.filter((audience) => wanted.includes(audience)) : audiences,
});

const reviewToken = async (
  token: string,
  audiences: readonly string[] | undefined,
  deps: ApiServerDeps,
): Promise<object> => {
  const { signingKeys, config, clock } = deps;
  try {
    const authority = { signingKeys, clusterId: config.clusterId };
    const reading = await readToken(token, authority, clock.now(), audiences);
    await checkBoundObjects(reading.user, deps);
    return goodToken(reading, audiences);
  } catch (error) {
    if (hasReason(error, 'Unauthorized')) return badToken(error);
    throw error;
  }
};

/** Answers whether a token is valid, and for which user. */
export const tokenReview: ReviewKind<TokenSpec> = {
  kind: reviewKind(GROUP, 'TokenReview'),
  answer: async ({ spec = {} }, _call, deps) => {
    if (!spec.token) throw badRequest('token is required for TokenReview in authentication');
    const audiences = spec.audiences?.length ? spec.audiences : undefined;
    return { spec, status: await reviewToken(spec.token, audiences, deps) };
  },
};
