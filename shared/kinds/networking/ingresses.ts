/** How Ingresses and IngressClasses behave. */
import '../../kube/schema/rare-messages.ts';
import { ignored } from '../contract/ignored.ts';
import { countedSpec, storedObject, withGeneration } from '../contract/stored-object.ts';
import type { ServedKind } from '../contract/strategy.ts';
import {
  type Ingress,
  type IngressClass,
  validateIngress,
  validateIngressClass,
} from './validate-ingress.ts';

const networkKind = (kind: string, resource: string, namespaced: boolean): ServedKind => ({
  group: 'networking.k8s.io',
  version: 'v1',
  kind,
  resource,
  namespaced,
});

/** How Ingresses behave. */
export const ingressStrategy = storedObject<Ingress>(
  {
    kind: networkKind('Ingress', 'ingresses', true),
    message: 'networking.v1.Ingress',
    rules: validateIngress,
  },
  {
    ...withGeneration<Ingress>({ loadBalancer: {} }),
    ...ignored('Ingress', 'no traffic is routed for it'),
    defaults: (ingress) => ({ ...ingress, spec: ingress.spec ?? {} }),
  },
);

const withScope = ({
  parameters,
  ...spec
}: NonNullable<IngressClass['spec']>): NonNullable<IngressClass['spec']> => ({
  ...spec,
  ...(parameters ? { parameters: { scope: 'Cluster', ...parameters } } : {}),
});

/** How IngressClasses behave. */
export const ingressClassStrategy = storedObject<IngressClass>(
  {
    kind: networkKind('IngressClass', 'ingressclasses', false),
    message: 'networking.v1.IngressClass',
    rules: validateIngressClass,
  },
  {
    ...countedSpec<IngressClass>(),
    ...ignored('IngressClass', 'no Ingress is served by it'),
    defaults: (ingressClass) => ({ ...ingressClass, spec: withScope(ingressClass.spec ?? {}) }),
  },
);
