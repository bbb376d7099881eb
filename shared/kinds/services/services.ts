import { deepEqual } from '../../kube/json/deep-equal.ts';
import { ignored } from '../contract/ignored.ts';
import { storedObject, withStatus } from '../contract/stored-object.ts';
import type { Service } from './validate-service.ts';
import { defaultService, serviceName, validateService, validateServiceUpdate } from './validate-service.ts';

const parts = withStatus<Service>({ loadBalancer: {} });

// A Service that becomes an ExternalName gives its addresses back. Source: kubernetes v1.34 registry/core/service `patchAllocatedValues`.
const withoutAddresses = (after: Service, before: Service): Service => {
  if (after.spec?.clusterIP && after.spec.clusterIP !== before.spec?.clusterIP) return after;
  const {
    clusterIP: _ip,
    clusterIPs: _ips,
    ipFamilies: _families,
    ipFamilyPolicy: _policy,
    ...spec
  } = after.spec ?? {};
  return { ...after, spec };
};

// A client that changes only `clusterIP` means both fields. Source: kubernetes v1.34 registry/core/service `normalizeClusterIPs`.
const withSameAddresses = (after: Service, before: Service): Service => {
  const { clusterIP = '', clusterIPs } = after.spec ?? {};
  const isOnlyFirst = clusterIP !== before.spec?.clusterIP && deepEqual(clusterIPs, before.spec?.clusterIPs);
  return isOnlyFirst ? { ...after, spec: { ...after.spec, clusterIPs: [clusterIP] } } : after;
};

// A PUT without the cluster IP keeps the stored one.
const keepAddress = (after: Service, before: Service): Service => {
  const { clusterIP, clusterIPs } = before.spec ?? {};
  if (clusterIP === undefined || clusterIPs === undefined) return after;
  if (after.spec?.type === 'ExternalName') return withoutAddresses(after, before);
  if (after.spec?.clusterIP) return withSameAddresses(after, before);
  return { ...after, spec: { ...after.spec, clusterIP, clusterIPs } };
};

const UNROUTED = 'nothing routes its cluster IP or its name to its pods';

// A client such as `helm --wait` waits for the address of a load balancer, so its user has to know that none will come.
const whatFollows = ({ spec }: Service): string => {
  if (spec?.type === 'ExternalName') return 'nothing resolves its name to its external name';
  if (spec?.type === 'LoadBalancer') return `${UNROUTED}, and it gets no load balancer`;
  if (spec?.type === 'NodePort') return `${UNROUTED}, and it gets no node ports`;
  return spec?.clusterIP === 'None' ? 'nothing resolves its name to its pods' : UNROUTED;
};

/** How Services behave. The API's verbs give them a cluster IP, to which nothing routes here. */
export const serviceStrategy = storedObject<Service>(
  {
    kind: { group: '', version: 'v1', kind: 'Service', resource: 'services', namespaced: true },
    message: 'core.v1.Service',
    nameRule: serviceName,
    rules: validateService,
    changeRules: validateServiceUpdate,
  },
  {
    ...parts,
    ...ignored('Service', whatFollows),
    forUpdate: (after, before) => keepAddress(parts.forUpdate(after, before), before),
    defaults: defaultService,
    createsOnUpdate: true,
    fields: ({ spec }) => ({ 'spec.clusterIP': spec?.clusterIP ?? '', 'spec.type': spec?.type ?? '' }),
  },
);
