/** One row per resource that the API serves. */
import type { ApiObject } from '../api/meta.ts';
import type { Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import { heartbeat } from './heartbeats.ts';
import { deleteLease, listLeases, patchLease } from './lease-collection.ts';
import { LEASE_KIND } from './lease-object.ts';
import { createLease, getLease, replaceLease } from './leases.ts';
import { getNamespace, listNamespaces, NAMESPACE_KIND } from './namespaces.ts';
import { nodeToken } from './node-token.ts';
import type { Verb } from './request-info.ts';
import { eventStrategy } from './strategies/events.ts';
import { nodeStrategy } from './strategies/nodes.ts';
import { podStrategy } from './strategies/pods.ts';
import type { ServedKind, Strategy } from './strategy.ts';
import { createVerb } from './verbs/create.ts';
import { deleteVerb } from './verbs/delete.ts';
import { getVerb } from './verbs/get.ts';
import { listVerb } from './verbs/list.ts';
import { patchVerb } from './verbs/patch.ts';
import { replaceVerb } from './verbs/replace.ts';
import { watchVerb } from './verbs/watch.ts';
import { watchLeases } from './watch/leases.ts';
import { getZone, listZones, watchZones, ZONE_KIND } from './zones.ts';

export type Verbs = Readonly<Partial<Record<Verb, Handle<ApiServerDeps>>>>;

export interface Resource extends ServedKind {
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: Verbs;
  readonly subresources: Readonly<Record<string, { readonly kind: string; readonly verbs: Verbs }>>;
}

const storedVerbs = <T extends ApiObject>(strategy: Strategy<T>): Verbs => ({
  create: createVerb(strategy),
  delete: deleteVerb(strategy),
  get: getVerb(strategy),
  list: listVerb(strategy),
  patch: patchVerb(strategy),
  update: replaceVerb(strategy),
  watch: watchVerb(strategy),
});

const statusVerbs = <T extends ApiObject>(strategy: Strategy<T>) => ({
  status: {
    kind: strategy.kind.kind,
    verbs: { get: getVerb(strategy), patch: patchVerb(strategy), update: replaceVerb(strategy) },
  },
});

export const RESOURCES: readonly Resource[] = [
  {
    ...eventStrategy.kind,
    singular: 'event',
    shortNames: ['ev'],
    verbs: storedVerbs(eventStrategy),
    subresources: {},
  },
  {
    ...NAMESPACE_KIND,
    singular: 'namespace',
    shortNames: ['ns'],
    verbs: { get: getNamespace, list: listNamespaces },
    subresources: {},
  },
  {
    ...nodeStrategy.kind,
    singular: 'node',
    shortNames: ['no'],
    verbs: storedVerbs(nodeStrategy),
    subresources: statusVerbs(nodeStrategy),
  },
  {
    ...podStrategy.kind,
    singular: 'pod',
    shortNames: ['po'],
    categories: ['all'],
    verbs: storedVerbs(podStrategy),
    subresources: statusVerbs(podStrategy),
  },
  {
    ...LEASE_KIND,
    singular: 'lease',
    verbs: {
      create: createLease,
      delete: deleteLease,
      get: getLease,
      list: listLeases,
      patch: patchLease,
      update: replaceLease,
      watch: watchLeases,
    },
    subresources: {},
  },
  {
    ...ZONE_KIND,
    singular: 'zone',
    verbs: { get: getZone, list: listZones, watch: watchZones },
    subresources: {},
  },
  {
    ...nodeStrategy.kind,
    group: 'rollcall.dev',
    singular: 'node',
    verbs: {},
    subresources: {
      heartbeat: { kind: 'HeartbeatReceipt', verbs: { create: heartbeat } },
      token: { kind: 'NodeToken', verbs: { create: nodeToken } },
    },
  },
];
