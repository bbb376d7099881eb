/**
 * Empties namespaces that are being deleted, and then removes them; in Kubernetes a controller does that. A host, which runs all
 * the time, does it in the background, some seconds after the deletion began, so that a client can delete the objects itself
 * until then; it does so without controllers, too. On AWS the request that begins the deletion does it. Later requests that may
 * complete the deletion continue it: one that deletes an object in the namespace, deletes the namespace again or reads it. If a
 * sweep dies half-way, the next such request or look continues it. Without controllers no request sweeps.
 * Source: kubernetes v1.34 pkg/controller/namespace.
 */
import type { ApiList, ApiObject } from '../../api/meta.ts';
import type { EpochMs } from '../../api/time.ts';
import { parseTime } from '../../api/time.ts';
import { GROUP_MASTERS } from '../../api/well-known.ts';
import { isReadyToGo } from '../../domain/pods/deletion.ts';
import { type LiveRow, namespaceKey, type Row } from '../../ports/rows.ts';
import type { ObjectWrite } from '../../state/object-writer.ts';
import type { Call } from '../call.ts';
import type { ApiServerDeps } from '../deps.ts';
import type { Answer } from '../http.ts';
import type { Verb } from '../request/request-info.ts';
import type { Resource } from '../resource.ts';
import { namespaceStrategy, withoutKubernetesFinalizer } from '../strategies/namespaces.ts';
import { bearNamespace, isBuiltIn } from './namespaces.ts';

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

/** Finalizers that wait for a garbage collector do not keep the namespace from being emptied, as in Kubernetes. */
const IN_BACKGROUND = 'propagationPolicy=Background';

/** Deletes all objects of one kind in the namespace; resolves to whether any are left. */
const sweepKind = async (row: Resource, namespace: string, deps: ApiServerDeps): Promise<boolean> => {
  const { deletecollection, list } = row.verbs;
  if (!row.namespaced || !deletecollection || !list) return false;
  await deletecollection(callOn(row, namespace, 'deletecollection', IN_BACKGROUND), deps);
  const { body } = await list(callOn(row, namespace, 'list', 'limit=1'), deps);
  return (body as ApiList).items.length > 0;
};

const isTerminating = (row: Row | undefined): row is LiveRow =>
  row?.state === 'live' && row.object.metadata.deletionTimestamp !== undefined;

/** Whether the namespace is being deleted, and its sweep may have begun by now. */
const isDue = (row: Row | undefined, { clock, config }: ApiServerDeps): row is LiveRow => {
  if (!isTerminating(row)) return false;
  const age = clock.now() - (parseTime(row.object.metadata.deletionTimestamp ?? '') ?? 0);
  // A deletion in the future began before the clock was set back.
  return age < 0 || age >= config.namespaceSweepDelayMs;
};

const released = (row: Row | undefined): ObjectWrite | undefined => {
  if (row?.state !== 'live' || !isTerminating(row)) return undefined;
  const next = withoutKubernetesFinalizer(row.object);
  const isGone = isReadyToGo(next) && namespaceStrategy.isHeld?.(next) !== true;
  return { next: isGone ? 'delete' : next, writer: 'controller' };
};

/**
 * Empties a namespace whose sweep is due, and removes it once nothing is left; a built-in one is then created
 * again, empty.
 */
const sweepNamespace = async (
  name: string,
  resources: readonly Resource[],
  deps: ApiServerDeps,
): Promise<void> => {
  if (!isDue(await deps.objects.read(namespaceKey(name)), deps)) return;
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

/** Milliseconds after which a namespace is swept again in which something was left. */
const AGAIN_MS = 5_000;

/**
 * Sweeps in the background: each call sweeps the namespaces that are due, one that was not emptied every five seconds. What goes
 * wrong with one is logged, and tried again.
 */
export const createNamespaceSweeper = (
  resources: readonly Resource[],
  deps: ApiServerDeps,
): (() => Promise<void>) => {
  let swept: ReadonlyMap<string, EpochMs> = new Map();
  const isTurn = (name: string, now: EpochMs): boolean => {
    const since = now - (swept.get(name) ?? Number.NEGATIVE_INFINITY);
    return since < 0 || since >= AGAIN_MS;
  };
  const sweep = async (name: string): Promise<void> => {
    try {
      await sweepNamespace(name, resources, deps);
    } catch (error) {
      const path = `/api/v1/namespaces/${name}`;
      deps.logger.requestFailed({ method: 'DELETE', path, at: deps.clock.now(), error });
    }
  };
  return async () => {
    const { rows } = await deps.objects.page({ resource: 'namespaces', namespace: '' });
    const due = rows.filter((row) => isDue(row, deps)).map(({ key }) => key.name);
    const now = deps.clock.now();
    const turns = new Set(due.filter((name) => isTurn(name, now)));
    swept = new Map(due.map((name) => [name, turns.has(name) ? now : (swept.get(name) ?? now)]));
    for (const name of turns) await sweep(name);
  };
};
