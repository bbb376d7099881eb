/** The kubectls of this machine, one of each minor version. */
import { execFileSync } from 'node:child_process';
import { globSync, realpathSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';

export interface Kubectl {
  readonly path: string;
  /** Such as `1.20`. */
  readonly version: string;
}

/** The number after `1.`: versions are ordered by it. */
export const minorOf = (version: string): number => Number(version.split('.')[1]);

const splitPath = (list: string | undefined): readonly string[] =>
  (list ?? '').split(delimiter).filter((entry) => entry !== '');

const real = (path: string): string | undefined => {
  try {
    return realpathSync(path);
  } catch {
    return undefined;
  }
};

/** Where the SDK of a cloud puts kubectl there are others beside it, named `kubectl.1.27`. */
const withSiblings = (path: string): readonly string[] => [path, ...globSync(`${dirname(path)}/kubectl.1.*`)];

const candidates = (env: NodeJS.ProcessEnv): readonly string[] => {
  const onPath = splitPath(env['PATH']).map((folder) => join(folder, 'kubectl'));
  const found = [...splitPath(env['ROLLCALL_KUBECTLS']), ...onPath].map(real);
  return [...new Set(found.filter((path) => path !== undefined).flatMap(withSiblings))];
};

const versionOf = (path: string): string | undefined => {
  try {
    const text = execFileSync(path, ['version', '--client', '-o', 'json'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    const { clientVersion } = JSON.parse(text.toString()) as {
      readonly clientVersion: { readonly major: string; readonly minor: string };
    };
    return `${clientVersion.major}.${Number.parseInt(clientVersion.minor, 10)}`;
  } catch {
    return undefined;
  }
};

/** Kubectls on PATH, beside those, and in `ROLLCALL_KUBECTLS` (paths as in PATH), oldest first. */
export const findKubectls = (env: NodeJS.ProcessEnv): readonly Kubectl[] => {
  const byVersion = new Map<string, Kubectl>();
  for (const path of candidates(env)) {
    const version = versionOf(path);
    if (version !== undefined && !byVersion.has(version)) byVersion.set(version, { path, version });
  }
  return [...byVersion.values()].sort((a, b) => minorOf(a.version) - minorOf(b.version));
};

/** Debian's, which any machine can fetch. */
export const OLDEST = '1.20';
const MODERN = 27;

/** What a complete run needs and this machine lacks. */
export const missingKubectls = (found: readonly Kubectl[]): readonly string[] => [
  ...(found.some(({ version }) => version === OLDEST)
    ? []
    : [`kubectl ${OLDEST}: test/clients/kubectl/debian.sh fetches it from Debian`]),
  ...(found.some(({ version }) => minorOf(version) >= MODERN) ? [] : [`a kubectl of 1.${MODERN} or newer`]),
];
