/** Kubernetes' own end-to-end tests, its kubectl and its scheduler, and KWOK, built from the Go module proxy into a cache. */
import { chmodSync, copyFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { download, go } from './go-modules.ts';
import { moduleText } from './module-text.ts';

const VERSION = '1.34.4';
const KWOK = { module: 'sigs.k8s.io/kwok', version: 'v0.8.0' };
/** KWOK's own stages of nodes; those of pods are in this folder. */
const NODE_STAGES = ['fast/node-initialize.yaml', 'heartbeat-with-lease/node-heartbeat-with-lease.yaml'];

/** `ROLLCALL_E2E` names another folder. */
const cacheFolder = (): string => {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['ROLLCALL_E2E'] ?? join(cache, 'rollcall', `e2e-${VERSION}`);
};

export interface Binaries {
  readonly tests: string;
  readonly kubectl: string;
  readonly scheduler: string;
  readonly kwok: string;
  /** File with what KWOK makes of nodes. */
  readonly stages: string;
}

const linkerFlags = (): string => {
  const [major, minor] = VERSION.split('.');
  const facts = { gitVersion: `v${VERSION}`, gitMajor: major, gitMinor: minor };
  const packages = ['k8s.io/component-base/version', 'k8s.io/client-go/pkg/version'];
  const settings = packages.flatMap((name) =>
    Object.entries(facts).map(([fact, value]) => `-X ${name}.${fact}=${value}`),
  );
  return ['-s -w', ...settings].join(' ');
};

const prepareSource = (folder: string): void => {
  const { Dir, GoMod } = download(`k8s.io/kubernetes@v${VERSION}`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), moduleText(VERSION, readFileSync(GoMod, 'utf8')));
  copyFileSync(join(Dir, 'go.sum'), join(folder, 'go.sum'));
  chmodSync(join(folder, 'go.sum'), 0o644);
};

const buildKubernetes = async (folder: string, { tests, kubectl, scheduler }: Binaries): Promise<void> => {
  const source = join(folder, 'src');
  prepareSource(source);
  const flags = ['-mod=mod', '-trimpath', `-ldflags=${linkerFlags()}`];
  const commands = { kubectl, 'kube-scheduler': scheduler };
  for (const [name, path] of Object.entries(commands))
    await go(source, ['build', ...flags, '-o', path, `k8s.io/kubernetes/cmd/${name}`]);
  await go(source, ['test', '-c', ...flags, '-o', tests, 'k8s.io/kubernetes/test/e2e']);
};

const buildKwok = async (folder: string, { stages }: Binaries): Promise<void> => {
  const { module, version } = KWOK;
  const command = `${module}/cmd/kwok@${version}`;
  // The default is the version of a development build.
  const flags = `-ldflags=-s -w -X ${module}/pkg/consts.Version=${version}`;
  await go(folder, ['install', flags, command], { GOBIN: join(folder, 'bin') });
  const { Dir } = download(`${module}@${version}`);
  const nodes = NODE_STAGES.map((name) =>
    readFileSync(join(Dir, 'kustomize', 'stage', 'node', name), 'utf8'),
  );
  writeFileSync(stages, nodes.join('\n---\n'));
};

const areBuilt = (...paths: readonly string[]): boolean => paths.every((path) => existsSync(path));

/** Builds what is missing: some ten minutes the first time on two cores. */
export const buildBinaries = async (): Promise<Binaries> => {
  const folder = cacheFolder();
  const at = (name: string): string => join(folder, 'bin', name);
  const programs = { tests: at('e2e.test'), kubectl: at('kubectl'), scheduler: at('kube-scheduler') };
  const binaries = { ...programs, kwok: at('kwok'), stages: at('stages.yaml') };
  if (areBuilt(...Object.values(binaries))) return binaries;
  console.log(`Building Kubernetes' tests in ${folder}; the first time that takes some ten minutes.`);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  if (!areBuilt(...Object.values(programs))) await buildKubernetes(folder, binaries);
  await buildKwok(folder, binaries);
  return binaries;
};
