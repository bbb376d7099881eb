/**
 * Credentials of registries, from Secrets of the types `dockerconfigjson` and `dockercfg`. No text of a fault has a part of a Secret.
 * Source: kubernetes v1.34 pkg/credentialprovider `DockerConfigEntry`, pkg/credentialprovider/secrets `MakeDockerKeyring`.
 */
import { isObject } from '../../../shared/kube/json/json-object.ts';

export interface Credentials {
  readonly username: string;
  readonly password: string;
}

/** Credentials, and for which registry or part of it, as the Secret has it. */
export interface RegistryEntry extends Credentials {
  readonly location: string;
}

/** A Secret of a pod. */
export interface PullSecret {
  readonly metadata: { readonly name: string };
  readonly type?: string;
  /** Base64 by key. */
  readonly data?: Readonly<Record<string, string>>;
}

type Read = { readonly entries: readonly RegistryEntry[] } | { readonly fault: string };

/** By type: the key, and where in its JSON the registries stand. */
const FORMS: Readonly<Record<string, { readonly key: string; readonly within?: string }>> = {
  'kubernetes.io/dockerconfigjson': { key: '.dockerconfigjson', within: 'auths' },
  'kubernetes.io/dockercfg': { key: '.dockercfg' },
};

const BASE64 = /^(?:[\w+/-]{4})*(?:[\w+/-]{2}(?:==)?|[\w+/-]{3}=?)?$/;

const text = (value: unknown): string => (typeof value === 'string' ? value : '');

/** `auth` is `user:password` in base64, and counts before the two alone. */
const credentialsOf = (entry: unknown): Credentials | undefined => {
  if (!isObject(entry)) return undefined;
  const auth = text(entry['auth']).replaceAll(/[\r\n]/g, '');
  if (auth === '') return { username: text(entry['username']), password: text(entry['password']) };
  const decoded = BASE64.test(auth) ? Buffer.from(auth, 'base64').toString() : '';
  const colon = decoded.indexOf(':');
  return colon === -1 ? undefined : { username: decoded.slice(0, colon), password: decoded.slice(colon + 1) };
};

const parsed = (json: string): unknown => {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
};

const unreadable = ({ metadata: { name } }: PullSecret, key: string): Read => ({
  fault: `the image pull secret "${name}" has no credentials that can be read in its key "${key}"`,
});

const readSecret = (secret: PullSecret): Read => {
  const form = FORMS[secret.type ?? ''];
  const data = form && secret.data?.[form.key];
  if (!form || !data) return { entries: [] };
  const file = parsed(Buffer.from(data, 'base64').toString());
  const registries = form.within === undefined || !isObject(file) ? file : (file[form.within] ?? {});
  if (!isObject(registries)) return unreadable(secret, form.key);
  const entries = Object.entries(registries).map(([location, entry]) => ({
    location,
    found: credentialsOf(entry),
  }));
  if (entries.some(({ found }) => found === undefined)) return unreadable(secret, form.key);
  return { entries: entries.flatMap(({ location, found }) => (found ? [{ location, ...found }] : [])) };
};

/** All entries, in the order of the Secrets; a Secret of another type has none. */
export const readPullSecrets = (secrets: readonly PullSecret[]): Read => {
  const read = secrets.map(readSecret);
  const broken = read.find((one) => 'fault' in one);
  return broken ?? { entries: read.flatMap((one) => ('entries' in one ? one.entries : [])) };
};
