/** Names of images. Source: distribution/reference `ParseNormalizedNamed`, kubernetes v1.34 pkg/kubelet/images `applyDefaultImageTag`. */

import { optional } from '../../../shared/kube/values/optional.ts';

export interface ImageName {
  /** With its host, such as `docker.io/library/nginx`. */
  readonly repository: string;
  readonly tag?: string;
  /** Such as `sha256:…`. */
  readonly digest?: string;
}

type Parsed = ImageName | { readonly fault: string };

const DEFAULT_HOST = 'docker.io';
const LEGACY_HOST = 'index.docker.io';
const OFFICIAL = 'library';
const LONGEST_REPOSITORY = 255;

const HOST =
  /^(?:[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?(?:\.[A-Za-z\d](?:[A-Za-z\d-]*[A-Za-z\d])?)*|\[[\dA-Fa-f:]+\])(?::\d+)?$/;
const PATH = /^[a-z\d]+(?:(?:\.|_{1,2}|-+)[a-z\d]+)*(?:\/[a-z\d]+(?:(?:\.|_{1,2}|-+)[a-z\d]+)*)*$/;
const TAG = /^\w[\w.-]{0,127}$/;
const DIGEST = /^[A-Za-z][A-Za-z\d]*(?:[-_+.][A-Za-z][A-Za-z\d]*)*:[\dA-Fa-f]{32,}$/;
const BARE_DIGEST = /^[a-f\d]{64}$/;
/** Hexadecimal digits of the digests that can be checked. */
const DIGITS: Readonly<Record<string, number>> = { sha256: 64, sha384: 96, sha512: 128 };

const UNREADABLE = 'invalid reference format';

/** Whether the part before the first slash is a host. In Docker's names only that has a dot, a port or capitals. */
const isHost = (part: string): boolean =>
  /[.:]/.test(part) || part === 'localhost' || part.toLowerCase() !== part;

const splitHost = (name: string): readonly [string, string] => {
  const slash = name.indexOf('/');
  const first = name.slice(0, Math.max(0, slash));
  const [host, rest] = slash > 0 && isHost(first) ? [first, name.slice(slash + 1)] : [DEFAULT_HOST, name];
  const known = host === LEGACY_HOST ? DEFAULT_HOST : host;
  return [known, known === DEFAULT_HOST && !rest.includes('/') ? `${OFFICIAL}/${rest}` : rest];
};

const digestFault = (digest: string): string | undefined => {
  if (!DIGEST.test(digest)) return UNREADABLE;
  const [algorithm = '', digits = ''] = digest.split(':');
  const wanted = DIGITS[algorithm];
  if (wanted === undefined) return 'unsupported digest algorithm';
  if (digits.length !== wanted) return 'invalid checksum digest length';
  return digits.toLowerCase() === digits ? undefined : 'invalid checksum digest format';
};

const partsOf = (name: string) => {
  const [host, rest] = splitHost(name);
  const at = rest.indexOf('@');
  const tagged = at === -1 ? rest : rest.slice(0, at);
  const colon = tagged.indexOf(':');
  return {
    host,
    path: colon === -1 ? tagged : tagged.slice(0, colon),
    ...(colon === -1 ? {} : { tag: tagged.slice(colon + 1) }),
    ...(at === -1 ? {} : { digest: rest.slice(at + 1) }),
  };
};

const faultOf = ({ host, path, tag, digest }: ReturnType<typeof partsOf>): string | undefined => {
  if (path.toLowerCase() !== path) return `${UNREADABLE}: repository name (${path}) must be lowercase`;
  if (!HOST.test(host) || !PATH.test(path) || (tag !== undefined && !TAG.test(tag))) return UNREADABLE;
  if (path.length > LONGEST_REPOSITORY)
    return `repository name must not be more than ${LONGEST_REPOSITORY} characters`;
  return digest === undefined ? undefined : digestFault(digest);
};

/** The parts of a name, or why it is none. */
export const parseImageName = (name: string): Parsed => {
  if (BARE_DIGEST.test(name))
    return { fault: `invalid repository name (${name}), cannot specify 64-byte hexadecimal strings` };
  const parts = partsOf(name);
  const fault = faultOf(parts);
  if (fault !== undefined) return { fault };
  const { host, path, tag, digest } = parts;
  return {
    repository: `${host}/${path}`,
    ...optional('tag', tag),
    ...optional('digest', digest),
  };
};

/** The name as the runtime gets it: without tag and digest it means `latest`. The host is not filled in: the runtime knows its own. */
export const withDefaultTag = (name: string, { tag, digest }: ImageName): string =>
  tag === undefined && digest === undefined ? `${name}:latest` : name;
