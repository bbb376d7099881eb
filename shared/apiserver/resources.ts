/** One row per resource that the API serves. */
import type { ApiObject } from '../api/meta.ts';
import type { Handle } from './call.ts';
import type { ApiServerDeps } from './deps.ts';
import { heartbeat } from './heartbeats.ts';
import { deleteLease, deleteLeases, listLeases, patchLease } from './lease-collection.ts';
import { LEASE_KIND } from './lease-object.ts';
import { createLease, getLease, replaceLease } from './leases.ts';
import { nodeToken } from './node-token.ts';
import type { Verb } from './request-info.ts';
import { serviceAccountToken } from './service-account-token.ts';
import { configMapStrategy, secretStrategy, serviceAccountStrategy } from './strategies/config-data.ts';
import { eventStrategy } from './strategies/events.ts';
import { finalizeStrategy, namespaceStrategy } from './strategies/namespaces.ts';
import { nodeStrategy } from './strategies/nodes.ts';
import { podStrategy } from './strategies/pods.ts';
import { runtimeClassStrategy } from './strategies/runtime-classes.ts';
import { serviceStrategy } from './strategies/services.ts';
import { csiDriverStrategy, csiNodeStrategy, volumeAttachmentStrategy } from './strategies/storage.ts';
import {
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from './strategies/workloads.ts';
import type { ServedKind, Strategy } from './strategy.ts';
import { createVerb } from './verbs/create.ts';
import { deleteVerb } from './verbs/delete.ts';
import { deleteCollectionVerb } from './verbs/deletecollection.ts';
import { getVerb } from './verbs/get.ts';
import { listVerb } from './verbs/list.ts';
import { patchVerb } from './verbs/patch.ts';
import { replaceVerb } from './verbs/replace.ts';
import { scaleSubresource } from './verbs/scale.ts';
import { getZone, listZones, ZONE_KIND } from './zones.ts';

export type Verbs = Readonly<Partial<Record<Verb, Handle<ApiServerDeps>>>>;

export interface Resource extends ServedKind {
  readonly singular: string;
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
  readonly verbs: Verbs;
  readonly subresources: Readonly<Record<string, Subresource>>;
}

export interface Subresource {
  /** Where its kind comes from, if that is another group than the resource's. */
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: Verbs;
}

const storedVerbs = <T extends ApiObject>(strategy: Strategy<T>): Verbs => ({
  create: createVerb(strategy),
  delete: deleteVerb(strategy),
  deletecollection: deleteCollectionVerb(strategy),
  get: getVerb(strategy),
  list: listVerb(strategy),
  patch: patchVerb(strategy),
  update: replaceVerb(strategy),
});

const statusVerbs = <T extends ApiObject>(strategy: Strategy<T>) => ({
  status: {
    kind: strategy.kind.kind,
    verbs: { get: getVerb(strategy), patch: patchVerb(strategy), update: replaceVerb(strategy) },
  },
});

type Names = Partial<Pick<Resource, 'shortNames' | 'categories' | 'subresources'>>;

/** A kind that is stored, with the verbs that all of them have. */
const stored = <T extends ApiObject>(strategy: Strategy<T>, names: Names = {}): Resource => ({
  ...strategy.kind,
  singular: strategy.kind.kind.toLowerCase(),
  verbs: storedVerbs(strategy),
  subresources: {},
  ...names,
});

// Namespaces go one by one.
const { deletecollection: _all, ...namespaceVerbs } = storedVerbs(namespaceStrategy);

export const RESOURCES: readonly Resource[] = [
  {
    ...eventStrategy.kind,
    singular: 'event',
    shortNames: ['ev'],
    verbs: storedVerbs(eventStrategy),
    subresources: {},
  },
  {
    ...stored(namespaceStrategy, { shortNames: ['ns'] }),
    verbs: namespaceVerbs,
    subresources: {
      finalize: { kind: 'Namespace', verbs: { update: replaceVerb(finalizeStrategy) } },
      ...statusVerbs(namespaceStrategy),
    },
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
      deletecollection: deleteLeases,
      get: getLease,
      list: listLeases,
      patch: patchLease,
      update: replaceLease,
    },
    subresources: {},
  },
  stored(configMapStrategy, { shortNames: ['cm'] }),
  stored(secretStrategy),
  stored(serviceAccountStrategy, {
    shortNames: ['sa'],
    subresources: {
      token: {
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: { create: serviceAccountToken },
      },
    },
  }),
  stored(serviceStrategy, {
    shortNames: ['svc'],
    categories: ['all'],
    subresources: statusVerbs(serviceStrategy),
  }),
  stored(daemonSetStrategy, {
    shortNames: ['ds'],
    categories: ['all'],
    subresources: statusVerbs(daemonSetStrategy),
  }),
  stored(deploymentStrategy, {
    shortNames: ['deploy'],
    categories: ['all'],
    subresources: { ...scaleSubresource(deploymentStrategy), ...statusVerbs(deploymentStrategy) },
  }),
  stored(replicaSetStrategy, {
    shortNames: ['rs'],
    categories: ['all'],
    subresources: { ...scaleSubresource(replicaSetStrategy), ...statusVerbs(replicaSetStrategy) },
  }),
  stored(statefulSetStrategy, {
    shortNames: ['sts'],
    categories: ['all'],
    subresources: { ...scaleSubresource(statefulSetStrategy), ...statusVerbs(statefulSetStrategy) },
  }),
  stored(runtimeClassStrategy),
  stored(csiDriverStrategy),
  stored(csiNodeStrategy),
  stored(volumeAttachmentStrategy, { subresources: statusVerbs(volumeAttachmentStrategy) }),
  { ...ZONE_KIND, singular: 'zone', verbs: { get: getZone, list: listZones }, subresources: {} },
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
