/** The namespaces that every cluster has; others cannot be made. */
import type { Namespace } from '../api/core.ts';
import { notFound } from '../api/status-error.ts';
import { NAMESPACES } from '../api/well-known.ts';
import type { Handle } from './call.ts';
import { subjectOf } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import { ok } from './http.ts';
import { readListOptions } from './list-options.ts';
import type { ServedKind } from './strategy.ts';
import { listOf } from './verbs/list.ts';

export const NAMESPACE_KIND: ServedKind = {
  group: '',
  version: 'v1',
  kind: 'Namespace',
  resource: 'namespaces',
  namespaced: false,
};

/** Nothing ever changes here, so one version serves all. */
const VERSION = 1;

const namespaceObject = (name: string, index: number): Namespace & { readonly spec: object } => ({
  kind: NAMESPACE_KIND.kind,
  apiVersion: 'v1',
  metadata: {
    name,
    uid: `00000000-0000-4000-8000-00000000000${index + 1}`,
    resourceVersion: String(VERSION),
    creationTimestamp: '2026-01-01T00:00:00Z',
    labels: { 'kubernetes.io/metadata.name': name },
  },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

const BUILT_IN: readonly Namespace[] = NAMESPACES.map(namespaceObject);

/** GET of the collection. */
export const listNamespaces: Handle<ApiServerDeps> = async ({ request }) => {
  const { matches } = readListOptions(request.query, NAMESPACE_KIND, () => ({ 'status.phase': 'Active' }));
  return ok(listOf(NAMESPACE_KIND, { revision: VERSION, objects: BUILT_IN.filter(matches) }));
};

/** GET of one Namespace. Throws 404. */
export const getNamespace: Handle<ApiServerDeps> = async (call) => {
  const found = BUILT_IN.find(({ metadata }) => metadata.name === call.info.name);
  if (!found) throw notFound(subjectOf(call));
  return ok(found);
};
