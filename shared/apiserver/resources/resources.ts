/** The table of resources: one row per resource that the API serves. */

import { readDefaultClass } from '../../kinds/admission/priority-classes.ts';
import { serviceAccountStrategy } from '../../kinds/cluster/config-data.ts';
import { eventStrategy, eventsV1Strategy } from '../../kinds/cluster/events.ts';
import { finalizeStrategy, namespaceStrategy } from '../../kinds/cluster/namespaces.ts';
import { PRIORITY_CLASS_KIND, priorityClassStrategy } from '../../kinds/cluster/priority-classes.ts';
import type { Strategy } from '../../kinds/contract/strategy.ts';
import { nodeStrategy } from '../../kinds/nodes/nodes.ts';
import { podStrategy } from '../../kinds/pods/pods.ts';
import type { PriorityClass } from '../../kube/types/scheduling.ts';
import type { Handle } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import type { Resource, Verbs } from '../contract/resource.ts';
import { heartbeat } from '../leases/heartbeats.ts';
import { deleteLease, deleteLeases, listLeases, patchLease } from '../leases/lease-collection.ts';
import { LEASE_KIND } from '../leases/lease-object.ts';
import { watchLeases } from '../leases/lease-watch.ts';
import { createLease, getLease, replaceLease } from '../leases/leases.ts';
import { BATCH_KIND } from '../relays/batch-kind.ts';
import { RELAY_KIND } from '../relays/relay-kind.ts';
import { SESSION_KIND } from '../sessions/session-kind.ts';
import { BINDING_KIND, createBinding } from '../verbs/binding.ts';
import { createVerb } from '../verbs/create.ts';
import { getVerb } from '../verbs/get.ts';
import { patchVerb } from '../verbs/patch.ts';
import { replaceVerb } from '../verbs/replace.ts';
import { customResourceDefinitions } from './custom-resource-definitions.ts';
import { inEventsV1 } from './event-view.ts';
import { LAZY_RESOURCES } from './lazy-resources.ts';
import { METRIC_RESOURCES } from './metric-resources.ts';
import { REVIEW_RESOURCES } from './review-resources.ts';
import { getSigningKey, SIGNING_KEY_KIND } from './signing-keys.ts';
import { statusVerbs, storedResource, storedVerbs } from './stored-resource.ts';
import { withSystemClasses } from './system-classes.ts';
import { getZone, listZones, watchZones, ZONE_KIND } from './zones.ts';

// Namespaces cannot be deleted as a collection.
const { deletecollection: _all, ...namespaceVerbs } = storedVerbs(namespaceStrategy);

const wrapVerbs = (verbs: Verbs, wrap: (handle: Handle<ApiServerDeps>) => Handle<ApiServerDeps>): Verbs =>
  Object.fromEntries(Object.entries(verbs).map(([verb, handle]) => [verb, wrap(handle)]));

const withDefaultPriorityClass =
  (verb: (strategy: Strategy<PriorityClass>) => Handle<ApiServerDeps>): Handle<ApiServerDeps> =>
  async (call, deps) =>
    verb(priorityClassStrategy(await readDefaultClass(deps)))(call, deps);

const priorityClassVerbs = (): Verbs => ({
  ...storedVerbs(priorityClassStrategy(undefined)),
  create: withDefaultPriorityClass(createVerb),
  patch: withDefaultPriorityClass(patchVerb),
  update: withDefaultPriorityClass(replaceVerb),
});

// Only kubelets ask for such tokens again and again.
const createServiceAccountToken: Handle<ApiServerDeps> = async (call, deps) => {
  const { serviceAccountToken } = await import('../tokens/service-account-token.ts');
  return serviceAccountToken(call, deps);
};

// A machine asks when it joins, and then twice a day.
const tokenOfNode: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../tokens/node-token.ts')).nodeToken(call, deps);

const evictionOfPod: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../evictions/eviction.ts')).createEviction(call, deps);

const drainOfNode: Handle<ApiServerDeps> = async (call, deps) => {
  const { drainNode } = await import('../node-requests/drain-node.ts');
  return drainNode(call, deps);
};

const batchOfRelay: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../relays/relay-batch.ts')).relayBatch(call, deps);

/** Loaded when an operator or a relay asks. */
const relays: Verbs = {
  delete: async (call, deps) => (await import('../relays/delete-relay.ts')).deleteRelay(call, deps),
  get: async (call, deps) => (await import('../relays/relays.ts')).getRelay(call, deps),
  list: async (call, deps) => (await import('../relays/relays.ts')).listRelays(call, deps),
  watch: async (call, deps) => (await import('../relays/watch-relays.ts')).watchRelays(call, deps),
};

const tokenOfRelay: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../relays/relay-token.ts')).relayToken(call, deps);

// Machines ask for it when their heartbeat says so.
const workOfNode: Verbs = {
  get: async (call, deps) => (await import('../node-requests/get-work.ts')).getWork(call, deps),
  create: async (call, deps) => (await import('../node-requests/confirm-work.ts')).confirmWork(call, deps),
};

const channelOfNode: Verbs = {
  get: async (call, deps) => (await import('../sessions/node-channel.ts')).openChannel(call, deps),
  create: async (call, deps) => (await import('../sessions/node-channel.ts')).callForChannel(call, deps),
};

const shutdownOfNode: Verbs = {
  create: async (call, deps) =>
    (await import('../node-requests/node-shutdown.ts')).reportShutdown(call, deps),
  delete: async (call, deps) => (await import('../node-requests/node-shutdown.ts')).endShutdown(call, deps),
};

const ephemeralContainersOfPod: Verbs = {
  get: getVerb(podStrategy),
  patch: async (call, deps) =>
    (await import('./ephemeral-containers.ts')).patchEphemeralContainers(call, deps),
  update: async (call, deps) =>
    (await import('./ephemeral-containers.ts')).replaceEphemeralContainers(call, deps),
};

/** Loaded with the first such request; it brings the rules and the signing of session tokens. */
const openStream: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../sessions/open-stream.ts')).openStream(call, deps);

const upgradeOf = (kind: string) => ({ kind, verbs: { create: openStream, get: openStream } });

const createSession: Handle<ApiServerDeps> = async (call, deps) =>
  (await import('../sessions/post-session.ts')).postSession(call, deps);

const explained =
  (kind: 'Node' | 'Pod' | 'Zone'): Handle<ApiServerDeps> =>
  async (call, deps) =>
    (await import('../explain/explain.ts')).EXPLAIN[kind](call, deps);

/** The subresource `explain`: loaded when a person asks. */
const explainOf = (kind: 'Node' | 'Pod' | 'Zone') => ({
  explain: { group: 'rollcall.dev', version: 'v1', kind: 'Explanation', verbs: { get: explained(kind) } },
});

/** All resources that the API serves. */
export const RESOURCES: readonly Resource[] = [
  { ...BINDING_KIND, singular: 'binding', verbs: { create: createBinding }, subresources: {} },
  storedResource(eventStrategy, { shortNames: ['ev'] }),
  {
    ...storedResource(namespaceStrategy, { shortNames: ['ns'] }),
    verbs: namespaceVerbs,
    subresources: {
      finalize: { kind: 'Namespace', verbs: { update: replaceVerb(finalizeStrategy) } },
      ...statusVerbs(namespaceStrategy),
    },
  },
  storedResource(nodeStrategy, {
    shortNames: ['no'],
    subresources: {
      drain: { group: 'rollcall.dev', version: 'v1', kind: 'NodeDrain', verbs: { create: drainOfNode } },
      ...explainOf('Node'),
      proxy: { kind: 'NodeProxyOptions', verbs: { get: openStream } },
      ...statusVerbs(nodeStrategy),
    },
  }),
  storedResource(podStrategy, {
    shortNames: ['po'],
    categories: ['all'],
    subresources: {
      attach: upgradeOf('PodAttachOptions'),
      binding: { kind: BINDING_KIND.kind, verbs: { create: createBinding } },
      eviction: { group: 'policy', version: 'v1', kind: 'Eviction', verbs: { create: evictionOfPod } },
      ephemeralcontainers: { kind: 'Pod', verbs: ephemeralContainersOfPod },
      exec: upgradeOf('PodExecOptions'),
      ...explainOf('Pod'),
      log: { kind: 'Pod', verbs: { get: openStream } },
      portforward: upgradeOf('PodPortForwardOptions'),
      ...statusVerbs(podStrategy),
    },
  }),
  ...REVIEW_RESOURCES,
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
      watch: watchLeases,
    },
    subresources: {},
  },
  storedResource(serviceAccountStrategy, {
    shortNames: ['sa'],
    subresources: {
      token: {
        group: 'authentication.k8s.io',
        version: 'v1',
        kind: 'TokenRequest',
        verbs: { create: createServiceAccountToken },
      },
    },
  }),
  customResourceDefinitions,
  {
    ...PRIORITY_CLASS_KIND,
    singular: 'priorityclass',
    shortNames: ['pc'],
    verbs: wrapVerbs(priorityClassVerbs(), withSystemClasses),
    subresources: {},
  },
  {
    ...eventsV1Strategy.kind,
    singular: 'event',
    shortNames: ['ev'],
    verbs: wrapVerbs(storedVerbs(eventsV1Strategy), inEventsV1),
    subresources: {},
  },
  ...LAZY_RESOURCES,
  ...METRIC_RESOURCES,
  {
    ...ZONE_KIND,
    singular: 'zone',
    verbs: { get: getZone, list: listZones, watch: watchZones },
    subresources: explainOf('Zone'),
  },
  { ...BATCH_KIND, singular: 'heartbeat', verbs: { create: batchOfRelay }, subresources: {} },
  {
    ...RELAY_KIND,
    singular: 'relay',
    verbs: relays,
    subresources: { token: { kind: 'RelayToken', verbs: { create: tokenOfRelay } } },
  },
  { ...SESSION_KIND, singular: 'session', verbs: { create: createSession }, subresources: {} },
  { ...SIGNING_KEY_KIND, singular: 'signingkey', verbs: { get: getSigningKey }, subresources: {} },
  {
    ...nodeStrategy.kind,
    group: 'rollcall.dev',
    singular: 'node',
    verbs: {},
    subresources: {
      channel: { kind: 'NodeChannel', verbs: channelOfNode },
      heartbeat: { kind: 'HeartbeatReceipt', verbs: { create: heartbeat } },
      shutdown: { kind: 'NodeShutdown', verbs: shutdownOfNode },
      token: { kind: 'NodeToken', verbs: { create: tokenOfNode } },
      work: { kind: 'NodeWork', verbs: workOfNode },
    },
  },
];
