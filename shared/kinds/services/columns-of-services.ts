import { ageOf } from '../../kube/text/human-duration.ts';
import type { ApiObject } from '../../kube/types/meta.ts';
import type { Printer } from '../fields/column.ts';
import { AGE_COLUMN, column, NAME_COLUMN, NONE, UNKNOWN, wideColumn } from '../fields/column.ts';
import { labelText } from '../fields/label-text.ts';

interface Port {
  readonly port: number;
  readonly nodePort?: number;
  readonly protocol?: string;
}

interface Service extends ApiObject {
  readonly spec?: {
    readonly type?: string;
    readonly clusterIP?: string;
    readonly clusterIPs?: readonly string[];
    readonly externalIPs?: readonly string[];
    readonly externalName?: string;
    readonly ports?: readonly Port[];
    readonly selector?: Readonly<Record<string, string>>;
  };
  readonly status?: {
    readonly loadBalancer?: {
      readonly ingress?: readonly { readonly ip?: string; readonly hostname?: string }[];
    };
  };
}

const balancerAddresses = ({ status }: Service): readonly string[] => {
  const ingress = status?.loadBalancer?.ingress ?? [];
  const addresses = new Set(ingress.map(({ ip, hostname }) => ip || (hostname ?? '')));
  addresses.delete('');
  return [...addresses].sort();
};

const externalAddress = (service: Service): string => {
  const addresses = service.spec?.externalIPs ?? [];
  switch (service.spec?.type ?? '') {
    case 'ClusterIP':
    case 'NodePort':
      return addresses.join(',') || NONE;
    case 'LoadBalancer':
      return [...balancerAddresses(service), ...addresses].join(',') || '<pending>';
    case 'ExternalName':
      return service.spec?.externalName ?? '';
    default:
      return UNKNOWN;
  }
};

const portText = ({ port, nodePort, protocol = 'TCP' }: Port): string =>
  nodePort ? `${port}:${nodePort}/${protocol}` : `${port}/${protocol}`;

/** The table of `kubectl get services`. */
export const servicePrinter: Printer = {
  columns: [
    NAME_COLUMN,
    column('Type', 'How the service is reached.'),
    column('Cluster-IP', 'Its address within the cluster.'),
    column('External-IP', 'Its addresses from outside.'),
    column('Port(s)', 'Its ports, and those of the nodes behind them.'),
    AGE_COLUMN,
    wideColumn('Selector', 'The labels of the pods that serve it.'),
  ],
  cells: (service: Service, now) => [
    service.metadata.name,
    service.spec?.type ?? '',
    (service.spec?.clusterIPs?.[0] ?? service.spec?.clusterIP) || NONE,
    externalAddress(service),
    service.spec?.ports?.map(portText).join(',') || NONE,
    ageOf(service.metadata.creationTimestamp, now),
    labelText(service.spec?.selector),
  ],
};
