/**
 * An empty collection of CustomResourceDefinitions. kubectl looks for one before it reports an unknown kind, or a
 * kind without dry run.
 */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import { notFound } from '../../kube/errors/status-error.ts';
import type { Handle } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { ok } from '../contract/http.ts';
import type { Resource } from '../contract/resource.ts';
import { listOf } from '../verbs/list.ts';

const KIND: ServedKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  resource: 'customresourcedefinitions',
  namespaced: false,
};

const list: Handle<ApiServerDeps> = async (_call, { clock }) =>
  ok(listOf(KIND, { revision: clock.now(), objects: [] }));

/** GET of one, which never exists. Throws 404. */
const get: Handle<ApiServerDeps> = async (call) => {
  throw notFound(subjectOf(call));
};

/** The resource `customresourcedefinitions`. */
export const customResourceDefinitions: Resource = {
  ...KIND,
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  verbs: { get, list },
  subresources: {},
};
