/** Reads a kubeconfig: where the API is, who has signed its certificate, and which token it takes. */
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { parse } from 'yaml';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import { HostProblem } from '../http/problem.ts';

/** What a client needs of a kubeconfig. */
export interface KubeconfigTarget {
  readonly url: URL;
  /** Certificate authority, PEM; `undefined`: a public one. */
  readonly ca: string | undefined;
  /** Read anew for each request if it stands in a file, because others renew it there. */
  readonly token: () => string;
}

const entryOf = (config: JsonObject, list: string, name: unknown, member: string): JsonObject => {
  const entries = Array.isArray(config[list]) ? config[list] : [];
  const found = entries.find((one) => isObject(one) && one['name'] === name);
  const value = isObject(found) ? found[member] : undefined;
  if (isObject(value)) return value;
  throw new HostProblem(`the kubeconfig has no entry "${String(name)}" among its ${list}`);
};

const textAt = (of: JsonObject, member: string): string | undefined => {
  const value = of[member];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

const caOf = (cluster: JsonObject, inFolder: (path: string) => string): string | undefined => {
  const data = textAt(cluster, 'certificate-authority-data');
  if (data !== undefined) return Buffer.from(data, 'base64').toString();
  const file = textAt(cluster, 'certificate-authority');
  return file === undefined ? undefined : readFileSync(inFolder(file), 'utf8');
};

const tokenOf = (user: JsonObject, inFolder: (path: string) => string): (() => string) => {
  const token = textAt(user, 'token');
  const file = textAt(user, 'tokenFile');
  if (file !== undefined) return () => readFileSync(inFolder(file), 'utf8').trim();
  if (token !== undefined) return () => token;
  throw new HostProblem(
    'the user of the kubeconfig has no token: Rollcall takes tokens, no certificates and no plugins',
  );
};

const urlOf = (cluster: JsonObject): URL => {
  const url = URL.parse(textAt(cluster, 'server') ?? '');
  if (url && ['http:', 'https:'].includes(url.protocol)) return url;
  throw new HostProblem('the server of the kubeconfig is not an address, such as https://host');
};

/** Reads the file. `context`: default the current one. Throws a `HostProblem` that says what it lacks, and errors of the file system. */
export const readKubeconfig = (path: string, context: string | undefined): KubeconfigTarget => {
  const config: unknown = parse(readFileSync(path, 'utf8'));
  if (!isObject(config)) throw new HostProblem(`${path} is not a kubeconfig`);
  const chosen = entryOf(config, 'contexts', context ?? config['current-context'], 'context');
  const cluster = entryOf(config, 'clusters', chosen['cluster'], 'cluster');
  const inFolder = (file: string): string => resolve(dirname(path), file);
  return {
    url: urlOf(cluster),
    ca: caOf(cluster, inFolder),
    token: tokenOf(entryOf(config, 'users', chosen['user'], 'user'), inFolder),
  };
};
