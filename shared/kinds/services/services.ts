import { ignored } from '../contract/ignored.ts';
import { storedObject, withStatus } from '../contract/stored-object.ts';
import type { Service } from './validate-service.ts';
import { defaultService, serviceName, validateService, validateServiceUpdate } from './validate-service.ts';

const parts = withStatus<Service>({ loadBalancer: {} });

// A PUT without the cluster IP keeps the stored one.
const keepAddress = (after: Service, before: Service): Service => {
  const { clusterIP, clusterIPs } = before.spec ?? {};
  if (clusterIP === undefined || clusterIPs === undefined || after.spec?.clusterIP) return after;
  if (after.spec?.type === 'ExternalName') return after;
  return { ...after, spec: { ...after.spec, clusterIP, clusterIPs } };
};

/** How Services behave. They get no cluster IP, because nothing routes to them here. */
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
    ...ignored('Service', 'nothing routes its cluster IP or its name to its pods'),
    forUpdate: (after, before) => keepAddress(parts.forUpdate(after, before), before),
    defaults: defaultService,
    createsOnUpdate: true,
    fields: ({ spec }) => ({ 'spec.clusterIP': spec?.clusterIP ?? '', 'spec.type': spec?.type ?? '' }),
  },
);
