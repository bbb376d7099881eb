/** Programs of one version of Kubernetes, built from the Go module proxy. */
import { chmodSync, copyFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { download, go } from './go-modules.ts';
import { moduleText } from './module-text.ts';

/** A folder for what is built. The variable `named` names another one. */
export const cacheFolder = (name: string, named: string): string => {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env[named] ?? join(cache, 'rollcall', name);
};

const linkerFlags = (version: string): string => {
  const [major, minor] = version.split('.');
  const facts = { gitVersion: `v${version}`, gitMajor: major, gitMinor: minor };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const settings = packages.flatMap((name) =>
    Object.entries(facts).map(([fact, value]) => `-X ${name}.${fact}=${value}`),
  );
  return ['-s -w', ...settings].join(' ');
};

const prepareSource = (version: string, folder: string): void => {
  const { Dir, GoMod } = download(`k8s.io/kubernetes@v${version}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), moduleText(version, readFileSync(GoMod, 'utf8')));
  copyFileSync(join(Dir, 'go.sum'), join(folder, 'go.sum'));
  chmodSync(join(folder, 'go.sum'), 0o644);
};

/** `go build` makes a command, `go test -c` the tests of a package. */
type Verb = readonly ['build'] | readonly ['test', '-c'];

/** Builds the package of Kubernetes, or of a module that it requires, into the file `path`. */
export type Compile = (verb: Verb, path: string, name: string) => Promise<void>;

/** Prepares the module in `folder` from which the programs of `version`, such as 1.34.4, are built. */
export const kubernetesCompiler = (version: string, folder: string): Compile => {
  prepareSource(version, folder);
  const flags = ['-mod=mod', '-trimpath', `-ldflags=${linkerFlags(version)}`];
  return (verb, path, name) => go(folder, [...verb, ...flags, '-o', path, name]);
};
