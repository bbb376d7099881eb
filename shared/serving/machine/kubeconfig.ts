import { stringify } from 'yaml';

export interface KubeconfigParts {
  readonly server: string;
  /** Certificate of the CA, PEM; `undefined` for a public CA. */
  readonly ca?: string | undefined;
  readonly token: string;
  readonly clusterId: string;
  readonly user: string;
}

const authorityOf = (ca: string | undefined): object =>
  ca === undefined ? {} : { 'certificate-authority-data': Buffer.from(ca).toString('base64') };

/** A kubeconfig for kubectl and other Kubernetes clients, as YAML. */
export const kubeconfigOf = ({ server, ca, token, clusterId, user }: KubeconfigParts): string =>
  stringify(
    {
      apiVersion: 'v1',
      kind: 'Config',
      clusters: [
        {
          name: clusterId,
          cluster: { server, ...authorityOf(ca) },
        },
      ],
      users: [{ name: user, user: { token } }],
      contexts: [{ name: clusterId, context: { cluster: clusterId, user } }],
      'current-context': clusterId,
    },
    { lineWidth: 0 },
  );
