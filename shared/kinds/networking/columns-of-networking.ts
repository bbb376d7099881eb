/** The tables of networking.k8s.io. Source: kubernetes v1.34 `pkg/printers/internalversion` `printIngress`, `printNetworkPolicy`. */
import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE } from '../fields/column.ts';
import { type LabelSelector, selectorText } from '../fields/label-text.ts';
import type { Ingress, IngressClass } from './validate-ingress.ts';

/** More hosts are not shown. */
const MOST_HOSTS = 3;

const hostText = ({ spec = {} }: Ingress): string => {
  const hosts = (spec.rules ?? []).flatMap(({ host }) => host || []);
  const [shown, more] = [hosts.slice(0, MOST_HOSTS).join(','), hosts.length - MOST_HOSTS];
  if (shown === '') return '*';
  return more > 0 ? `${shown} + ${more} more...` : shown;
};

const addressText = ({ status }: Ingress): string => {
  const { loadBalancer = {} } = (status ?? {}) as {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
  return (loadBalancer.ingress ?? []).map(({ ip, hostname = '' }) => ip || hostname).join(',');
};

/** The table of `kubectl get ingresses`. */
export const ingressPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Class', 'The class that should serve it.'),
    column('Hosts', 'The hosts of its rules.'),
    column('Address', 'Its addresses from outside.'),
    column('Ports', 'Its ports.'),
    AGE_COLUMN,
  ],
  cells: (ingress: Ingress, now) => [
    ingress.metadata.name,
    ingress.spec?.ingressClassName ?? NONE,
    hostText(ingress),
    addressText(ingress),
    (ingress.spec?.tls ?? []).length > 0 ? '80, 443' : '80',
    ageOf(ingress.metadata.creationTimestamp, now),
  ],
};

const parametersText = ({ spec }: IngressClass): string => {
  if (!spec?.parameters) return NONE;
  const { apiGroup, kind = '', name = '' } = spec.parameters;
  return `${kind}${apiGroup ? `.${apiGroup}` : ''}/${name}`;
};

/** The table of `kubectl get ingressclasses`. */
export const ingressClassPrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Controller', 'The controller that should serve its Ingresses.'),
    column('Parameters', 'The object that configures the controller.'),
    AGE_COLUMN,
  ],
  cells: (ingressClass: IngressClass, now) => [
    ingressClass.metadata.name,
    ingressClass.spec?.controller ?? '',
    parametersText(ingressClass),
    ageOf(ingressClass.metadata.creationTimestamp, now),
  ],
};

interface NetworkPolicy extends ApiObject {
  readonly spec?: { readonly podSelector?: LabelSelector };
}

/** The table of `kubectl get networkpolicies`. */
export const networkPolicyPrinter: Printer = {
  columns: [NAME_COLUMN, column('Pod-Selector', 'The pods that it is about.'), AGE_COLUMN],
  cells: (policy: NetworkPolicy, now) => [
    policy.metadata.name,
    selectorText(policy.spec?.podSelector),
    ageOf(policy.metadata.creationTimestamp, now),
  ],
};
