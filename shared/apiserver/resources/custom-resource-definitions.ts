/**
 * An empty collection of CustomResourceDefinitions. kubectl looks for one before it reports an unknown kind, or a
 * kind without dry run.
 */
import { notFound } from '../../api/status-error.ts';
import type { Handle } from '../call.ts';
import { subjectOf } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import { ok } from '../http.ts';
import type { Resource } from '../resource.ts';
import type { ServedKind } from '../strategy.ts';
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
