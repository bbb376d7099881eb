/** Kubernetes' own end-to-end tests, its kubectl and its scheduler, and KWOK, built from the Go module proxy into a cache. */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { download, go } from './go-modules.ts';
import { cacheFolder, kubernetesCompiler } from './kubernetes.ts';

const VERSION = '1.34.4';
const KWOK = { module: 'sigs.k8s.io/kwok', version: 'v0.8.0' };
/** KWOK's own stages of nodes; those of pods are in this folder. */
const NODE_STAGES = ['fast/node-initialize.yaml', 'heartbeat-with-lease/node-heartbeat-with-lease.yaml'];

export interface Binaries {
  readonly tests: string;
  readonly kubectl: string;
  readonly scheduler: string;
  readonly kwok: string;
  /** File with what KWOK makes of nodes. */
  readonly stages: string;
}

const buildKubernetes = async (folder: string, { tests, kubectl, scheduler }: Binaries): Promise<void> => {
  const compile = kubernetesCompiler(VERSION, join(folder, 'src'));
  const commands = { kubectl, 'kube-scheduler': scheduler };
  for (const [name, path] of Object.entries(commands))
    await compile(['build'], path, `k8s.io/kubernetes/cmd/${name}`);
  await compile(['test', '-c'], tests, 'k8s.io/kubernetes/test/e2e');
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

/** Whether all these files are there. */
export const areBuilt = (...paths: readonly string[]): boolean => paths.every((path) => existsSync(path));

/** Builds what is missing: some ten minutes the first time on two cores. */
export const buildBinaries = async (): Promise<Binaries> => {
  const folder = cacheFolder(`e2e-${VERSION}`, 'ROLLCALL_E2E');
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
