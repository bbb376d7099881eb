/** Reads kubeconfigs. Only what others than kubectl need of them: contexts, servers and tokens. */
import { parse } from 'yaml';
import { optional } from '../../kube/values/optional.ts';

/** What a context of a kubeconfig leads to. */
export interface KubeTarget {
  readonly context: string;
  readonly server: string;
  /** PEM of the authority that the server's certificate is signed by; absent: a public one. */
  readonly ca?: string;
  /** Absent: the user has another way to show who it is, such as a certificate or a program. */
  readonly token?: string;
}

interface Entry {
  readonly name?: string;
  readonly context?: { readonly cluster?: string; readonly user?: string };
  readonly cluster?: { readonly server?: string; readonly 'certificate-authority-data'?: string };
  readonly user?: { readonly token?: string };
}

interface Kubeconfig {
  readonly 'current-context'?: string;
  readonly contexts?: readonly Entry[];
  readonly clusters?: readonly Entry[];
  readonly users?: readonly Entry[];
}

const parsed = (text: string): Kubeconfig => {
  const value: unknown = parse(text);
  return typeof value === 'object' && value !== null ? value : {};
};

const named = (entries: readonly Entry[] | undefined, name: string | undefined): Entry | undefined =>
  entries?.find((entry) => entry.name === name);

/** The names of its contexts. */
export const contextsOf = (text: string): readonly string[] =>
  parsed(text).contexts?.flatMap(({ name }) => (name === undefined ? [] : [name])) ?? [];

/** The target of a context, by default the current one; `undefined`: it has no such context, or no server for it. */
export const kubeTarget = (text: string, wanted?: string): KubeTarget | undefined => {
  const config = parsed(text);
  const context = wanted ?? config['current-context'];
  const { cluster: clusterName, user: userName } = named(config.contexts, context)?.context ?? {};
  const { server, 'certificate-authority-data': ca } = named(config.clusters, clusterName)?.cluster ?? {};
  const token = named(config.users, userName)?.user?.token;
  if (context === undefined || server === undefined) return undefined;
  return {
    context,
    server: server.replace(/\/+$/, ''),
    ...(ca === undefined ? {} : { ca: Buffer.from(ca, 'base64').toString() }),
    ...optional('token', token),
  };
};
