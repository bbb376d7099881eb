/**
 * The resource of CustomResourceDefinitions, of which there are none. kubectl looks for one before it reports an unknown kind, or a kind without dry
 * run; operator frameworks watch them.
 */

import type { ServedKind } from '../../kinds/contract/strategy.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Resource } from '../contract/resource.ts';
import type { EmptyVerb } from './empty-collection.ts';

const KIND: ServedKind = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  resource: 'customresourcedefinitions',
  namespaced: false,
};

const loaded =
  (verb: EmptyVerb): Handle<ApiServerDeps> =>
  async (call, deps) =>
    (await import('./empty-collection.ts')).emptyVerbs(KIND)[verb](call, deps);

/** The resource `customresourcedefinitions`. */
export const customResourceDefinitions: Resource = {
  ...KIND,
  singular: 'customresourcedefinition',
  shortNames: ['crd', 'crds'],
  categories: ['api-extensions'],
  verbs: { get: loaded('get'), list: loaded('list'), watch: loaded('watch') },
  refusal: 'Rollcall serves no custom resources',
  subresources: {},
};
