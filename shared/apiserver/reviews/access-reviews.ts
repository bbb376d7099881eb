/** Access reviews: SelfSubjectAccessReview, SubjectAccessReview, LocalSubjectAccessReview. */

import type { User } from '../../kinds/contract/user.ts';
import type { FieldError } from '../../kube/errors/field-error.ts';
import { invalidValue } from '../../kube/errors/field-error.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import type { ObjectMeta } from '../../kube/types/meta.ts';
import { optional } from '../../kube/values/optional.ts';
import type { Access } from '../access/access.ts';
import { accessFacts } from '../access/access-facts.ts';
import { decidePathAccess, decideResourceAccess } from '../access/authorization.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { AccessSpec } from './access-attributes.ts';
import {
  choiceAndSelectorFaults,
  fieldSelectorOf,
  pathAccessOf,
  printedPath,
  resourceAccessOf,
} from './access-attributes.ts';
import type { ReviewKind } from './review.ts';
import { metadataFaults, refuseFaults } from './review.ts';
import { reviewKind } from './review-kind.ts';

const GROUP = 'authorization.k8s.io';

/** The spec of a review about another user. */
export interface SubjectSpec extends AccessSpec {
  readonly user?: string;
  readonly groups?: readonly string[];
  readonly uid?: string;
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

const decide = async (user: User, spec: AccessSpec, deps: ApiServerDeps): Promise<Access> => {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  if (!resource) return decidePathAccess(user, pathAccessOf(path ?? {}));
  return decideResourceAccess(user, resourceAccessOf(resource), accessFacts(deps, fieldSelectorOf(resource)));
};

const statusOf = (access: Access): object => {
  if (access.decision === 'allow') return { allowed: true };
  return { allowed: false, ...optional('reason', access.why) };
};

/** Answers whether the sender has an access. */
export const selfSubjectAccessReview: ReviewKind<AccessSpec> = {
  kind: reviewKind(GROUP, 'SelfSubjectAccessReview'),
  answer: async ({ metadata, spec = {} }, { user }, deps) => {
    const { choice, selectors } = choiceAndSelectorFaults(spec);
    refuseFaults(selfSubjectAccessReview.kind, [
      ...choice,
      ...selectors,
      ...metadataFaults(metadata, 'must be empty'),
    ]);
    return { spec, status: statusOf(await decide(user, spec, deps)) };
  },
};

const subjectFaults = (spec: SubjectSpec): readonly FieldError[] => {
  const { choice, selectors } = choiceAndSelectorFaults(spec);
  const isNobody = !spec.user && !spec.groups?.length;
  const nobody = invalidValue(
    'spec.user',
    spec.user ?? '',
    'at least one of user or group must be specified',
  );
  return [...choice, ...(isNobody ? [nobody] : []), ...selectors];
};

const subjectOf = ({ user: name = '', groups = [], uid, extra }: SubjectSpec): User => ({
  name,
  groups,
  ...optional('uid', uid),
  ...optional('extra', extra),
});

/** Answers whether another user has an access. */
export const subjectAccessReview: ReviewKind<SubjectSpec> = {
  kind: reviewKind(GROUP, 'SubjectAccessReview'),
  answer: async ({ metadata, spec = {} }, _call, deps) => {
    refuseFaults(subjectAccessReview.kind, [
      ...subjectFaults(spec),
      ...metadataFaults(metadata, 'must be empty'),
    ]);
    return { spec, status: statusOf(await decide(subjectOf(spec), spec, deps)) };
  },
};

const localFaults = (metadata: ObjectMeta, spec: SubjectSpec): readonly FieldError[] => {
  const { resourceAttributes: resource, nonResourceAttributes: path } = spec;
  const elsewhere = resource && (resource.namespace ?? '') !== metadata.namespace;
  return [
    ...subjectFaults(spec),
    ...metadataFaults(metadata, 'must be empty except for namespace'),
    ...(elsewhere
      ? [
          invalidValue(
            'spec.resourceAttributes.namespace',
            resource.namespace ?? '',
            'must match metadata.namespace',
          ),
        ]
      : []),
    ...(path
      ? [invalidValue('spec.nonResourceAttributes', printedPath(path), 'disallowed on this kind of request')]
      : []),
  ];
};

/** Answers whether another user has an access in the request's namespace. */
export const localSubjectAccessReview: ReviewKind<SubjectSpec> = {
  kind: reviewKind(GROUP, 'LocalSubjectAccessReview', { namespaced: true }),
  answer: async ({ metadata, spec = {} }, { info }, deps) => {
    if (info.namespace === '') throw badRequest('namespace is required on this type: ');
    refuseFaults(localSubjectAccessReview.kind, localFaults(metadata, spec));
    return { spec, status: statusOf(await decide(subjectOf(spec), spec, deps)) };
  },
};
