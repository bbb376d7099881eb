/** Which credentials are tried for an image. Source: kubernetes v1.34 pkg/credentialprovider `BasicDockerKeyring`. */
import { byText } from '../../../shared/kube/text/compare-text.ts';
import type { Credentials, RegistryEntry } from './credentials.ts';

const DEFAULT_REGISTRY = 'index.docker.io';

interface Place {
  readonly host: string;
  readonly port: string;
  readonly path: string;
}

const placeOf = (schemeless: string): Place => {
  const slash = schemeless.indexOf('/');
  const [authority, path] =
    slash === -1 ? [schemeless, ''] : [schemeless.slice(0, slash), schemeless.slice(slash)];
  const [, host = authority, port = ''] = /^(.*):(\d+)$/.exec(authority) ?? [];
  return { host, port, path };
};

/** `https://host/v1/` and `/v2/` mean the host. */
const keyOf = (location: string): string => {
  const plain = location.replace(/^https?:\/\//, '');
  const { host, port, path } = placeOf(plain);
  const authority = port === '' ? host : `${host}:${port}`;
  const effective = /^\/v[12]\//.test(path) ? path.slice(3) : path;
  return effective === '' || effective === '/' ? authority : `${authority}${effective}`;
};

/** What stands between two `*`, with `?` and `[…]`. */
const piecePattern = (piece: string): RegExp =>
  new RegExp(piece.replaceAll(/[.+^${}()|\\]/g, String.raw`\$&`).replaceAll('?', '[^/]'), 'y');

/** Where the piece ends that begins at `from` or as soon as possible behind it, but not behind `last`; -1: nowhere. */
const endOfPiece = (pattern: RegExp, text: string, from: number, last: number): number => {
  for (let at = from; at <= last; at += 1) {
    pattern.lastIndex = at;
    if (pattern.test(text)) return pattern.lastIndex;
  }
  return -1;
};

/**
 * Whether a part of a host matches one with `*`, `?` and `[…]`, as Go's `filepath.Match` has them. Each piece is taken where it is found
 * first: whoever writes a Secret chooses the pattern, and one regular expression of many `*` would take for ever.
 */
const isPartMatch = (wanted: string, given: string): boolean => {
  const pieces = wanted.split('*');
  try {
    const patterns = pieces.map(piecePattern);
    let at = 0;
    for (const [index, pattern] of patterns.entries()) {
      const end = endOfPiece(pattern, given, at, index === 0 ? 0 : given.length);
      if (end < 0) return false;
      at = end;
    }
    const last = pieces.length > 1 ? patterns.at(-1) : undefined;
    return last ? new RegExp(`(?:${last.source})$`).test(given) : at === given.length;
  } catch {
    return false;
  }
};

/** Each part of the host by itself: `*` covers no dot. */
const isHostMatch = (pattern: string, host: string): boolean => {
  const [wanted, given] = [pattern.split('.'), host.split('.')];
  return wanted.length === given.length && wanted.every((part, at) => isPartMatch(part, given[at] ?? ''));
};

const isMatch = (key: string, repository: string): boolean => {
  const [wanted, given] = [placeOf(key), placeOf(repository)];
  return (
    wanted.port === given.port && given.path.startsWith(wanted.path) && isHostMatch(wanted.host, given.host)
  );
};

const isOnDefaultRegistry = (repository: string): boolean => {
  const [first = ''] = repository.split('/');
  return first === 'docker.io' || first === DEFAULT_REGISTRY;
};

/** Of the same key in the order of the Secrets, each once. */
const distinct = (all: readonly Credentials[]): readonly Credentials[] => [
  ...new Map(
    all.map(({ username, password }) => [JSON.stringify([username, password]), { username, password }]),
  ).values(),
];

/**
 * Credentials for a repository, such as `registry.example.com/team/app`, in the order in which they are tried: those of the most
 * specific place first. None: it is pulled without.
 */
export const credentialsFor = (
  entries: readonly RegistryEntry[],
  repository: string,
): readonly Credentials[] => {
  const byKey = Map.groupBy(entries, ({ location }) => keyOf(location));
  const keys = [...byKey.keys()].toSorted((a, b) => byText(b, a));
  const found = keys.filter((key) => isMatch(key, repository)).flatMap((key) => byKey.get(key) ?? []);
  if (found.length > 0) return distinct(found);
  return isOnDefaultRegistry(repository) ? distinct(byKey.get(DEFAULT_REGISTRY) ?? []) : [];
};
