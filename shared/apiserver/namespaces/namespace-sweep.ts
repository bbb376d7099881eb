/**
 * Empties namespaces that are being deleted, and then removes them; in Kubernetes a controller does that. Here
 * the API does it, in the request that begins the deletion and in each later request that may complete it: one
 * that deletes an object in the namespace, deletes the namespace again or reads it. If a sweep dies half-way, the
 * next such request continues it.
 */
import type { ApiList, ApiObject } from '../../api/meta.ts';
import { GROUP_MASTERS } from '../../api/well-known.ts';
import { isReadyToGo } from '../../domain/pods/deletion.ts';
import type { Row } from '../../ports/rows.ts';
import type { ObjectWrite } from '../../state/object-writer.ts';
import type { Call } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Answer } from '../http.ts';
import type { Verb } from '../request/request-info.ts';
import type { Resource } from '../resource.ts';
import { namespaceStrategy, withoutKubernetesFinalizer } from '../strategies/namespaces.ts';
import { bearNamespace, isBuiltIn, namespaceKey } from './namespaces.ts';

const SWEEPER = { name: 'system:serviceaccount:kube-system:namespace-controller', groups: [GROUP_MASTERS] };

const callOn = (row: Resource, namespace: string, verb: Verb, query: string): Call => {
  const { group, version, resource } = row;
  return {
    user: SWEEPER,
    request: {
      method: verb === 'list' ? 'GET' : 'DELETE',
      path: '',
      query: new URLSearchParams(query),
      headers: {},
      body: new Uint8Array(),
    },
    info: { kind: 'resource', verb, group, version, resource, subresource: '', namespace, name: '' },
  };
};

/** Deletes all objects of one kind in the namespace; resolves to whether any are left. */
const sweepKind = async (row: Resource, namespace: string, deps: ApiServerDeps): Promise<boolean> => {
  const { deletecollection, list } = row.verbs;
  if (!row.namespaced || !deletecollection || !list) return false;
  await deletecollection(callOn(row, namespace, 'deletecollection', ''), deps);
  const { body } = await list(callOn(row, namespace, 'list', 'limit=1'), deps);
  return (body as ApiList).items.length > 0;
};

const isTerminating = (row: Row | undefined): boolean =>
  row?.state === 'live' && row.object.metadata.deletionTimestamp !== undefined;

const released = (row: Row | undefined): ObjectWrite | undefined => {
  if (row?.state !== 'live' || !isTerminating(row)) return undefined;
  const next = withoutKubernetesFinalizer(row.object);
  const isGone = isReadyToGo(next) && namespaceStrategy.isHeld?.(next) !== true;
  return { next: isGone ? 'delete' : next, writer: 'controller' };
};

/**
 * Empties a namespace that is being deleted, and removes it once nothing is left; a built-in one is then created
 * again, empty.
 */
const sweepNamespace = async (
  name: string,
  resources: readonly Resource[],
  deps: ApiServerDeps,
): Promise<void> => {
  if (!isTerminating(await deps.log.read(namespaceKey(name)))) return;
  let isEmpty = true;
  for (const row of resources) isEmpty = !(await sweepKind(row, name, deps)) && isEmpty;
  if (!isEmpty) return;
  await deps.writer.write(namespaceKey(name), released);
  if (isBuiltIn(name)) await bearNamespace(name, deps);
};

const isMarked = ({ body }: Answer): boolean =>
  typeof body === 'object' && (body as ApiObject).metadata.deletionTimestamp !== undefined;

/** The namespace whose deletion the request may have advanced. */
const namespaceOf = ({ info }: Call, answer: Answer): string | undefined => {
  const { resource, group, verb, subresource, name, namespace } = info;
  if (resource === 'namespaces' && group === '') {
    const looksAtIt = subresource === '' && (verb === 'get' || verb === 'delete');
    return looksAtIt && isMarked(answer) ? name : undefined;
  }
  if (namespace === '' || namespace === 'default') return undefined;
  const deletes = verb === 'delete' || verb === 'deletecollection';
  const maySettle = (verb === 'update' || verb === 'patch') && isMarked(answer);
  return deletes || maySettle ? namespace : undefined;
};

/** Runs after a request: continues the deletion of the namespace that it concerns. */
export const carryOnSweep = async (
  call: Call,
  answer: Answer,
  resources: readonly Resource[],
  deps: ApiServerDeps,
): Promise<void> => {
  const name = deps.controllers === 'none' ? undefined : namespaceOf(call, answer);
  if (name !== undefined) await sweepNamespace(name, resources, deps);
};
