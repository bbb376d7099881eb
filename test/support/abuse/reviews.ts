import type { Abuse } from './abuse.ts';
import { ACCESS_REVIEWS, members, NODES, post, raw, times } from './abuse.ts';

const attributes = { resourceAttributes: { verb: 'get', resource: 'nodes' } };
const review = { apiVersion: 'authorization.k8s.io/v1', kind: 'SelfSubjectAccessReview' };
const SUBJECT_REVIEWS = '/apis/authorization.k8s.io/v1/subjectaccessreviews';

export const REVIEW_ABUSES: readonly Abuse[] = [
  {
    name: 'access review: many labels',
    largest: 200_000,
    request: (size) =>
      post(ACCESS_REVIEWS, {
        ...review,
        metadata: { labels: members(size, (index) => [`l${index}`, 'x']) },
        spec: attributes,
      }),
  },
  {
    name: 'access review: many requirements on fields',
    largest: 30_000,
    request: (size) =>
      post(ACCESS_REVIEWS, {
        ...review,
        spec: {
          resourceAttributes: {
            ...attributes.resourceAttributes,
            fieldSelector: {
              requirements: times(size, (index) => ({ key: `k${index}`, operator: 'In', values: ['v'] })),
            },
          },
        },
      }),
  },
  {
    name: 'access review: a long selector of labels',
    largest: 300_000,
    request: (size) =>
      post(ACCESS_REVIEWS, {
        ...review,
        spec: {
          resourceAttributes: {
            ...attributes.resourceAttributes,
            labelSelector: { rawSelector: times(size, (index) => `k${index}`).join(',') },
          },
        },
      }),
  },
  {
    name: 'access review: a long selector of fields',
    largest: 300_000,
    request: (size) =>
      post(ACCESS_REVIEWS, {
        ...review,
        spec: {
          resourceAttributes: {
            ...attributes.resourceAttributes,
            fieldSelector: { rawSelector: times(size, (index) => `k${index}=v`).join(',') },
          },
        },
      }),
  },
  {
    name: 'access review: many groups',
    largest: 200_000,
    request: (size) =>
      post(SUBJECT_REVIEWS, {
        ...review,
        kind: 'SubjectAccessReview',
        spec: { ...attributes, user: 'x', groups: times(size, (index) => `g${index}`) },
      }),
  },
  {
    name: 'access review: much extra',
    largest: 100_000,
    request: (size) =>
      post(SUBJECT_REVIEWS, {
        ...review,
        kind: 'SubjectAccessReview',
        spec: { ...attributes, user: 'x', extra: members(size, (index) => [`k${index}`, ['v']]) },
      }),
  },
  {
    name: 'token review: a long token',
    largest: 3_000_000,
    request: (size) =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'a.'.repeat(size / 2) },
      }),
  },
  {
    name: 'token review: many audiences',
    largest: 300_000,
    request: (size) =>
      post('/apis/authentication.k8s.io/v1/tokenreviews', {
        apiVersion: 'authentication.k8s.io/v1',
        kind: 'TokenReview',
        spec: { token: 'a', audiences: times(size, (index) => `a${index}`) },
      }),
  },
  {
    name: 'delete options: many dry runs',
    largest: 300_000,
    request: (size) =>
      raw(
        'DELETE',
        `${NODES}/nobody`,
        'application/json',
        JSON.stringify({ dryRun: times(size, () => 'x') }),
      ),
  },
];
