/** The programs of a Kubernetes control plane, built with Go into a cache, or found in a folder. */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { hasGo } from '../../clients/go-program.ts';
import { areBuilt } from '../../e2e/build.ts';
import { cacheFolder, kubernetesCompiler } from '../../e2e/kubernetes.ts';
import type { Skipped } from '../figures/figures.ts';

const KUBERNETES_VERSION = '1.37.2';

/** Go's packages, by names of programs. Kubernetes' own list of requirements chooses the version of etcd. */
const PACKAGES = {
  etcd: 'go.etcd.io/etcd/server/v3',
  'kube-apiserver': 'k8s.io/kubernetes/cmd/kube-apiserver',
  'kube-controller-manager': 'k8s.io/kubernetes/cmd/kube-controller-manager',
  'kube-scheduler': 'k8s.io/kubernetes/cmd/kube-scheduler',
} as const;

export type ProgramName = keyof typeof PACKAGES;

/** Paths of the programs. */
export type Binaries = Readonly<Record<ProgramName, string>>;

const NAMES = Object.keys(PACKAGES) as readonly ProgramName[];

const binariesIn = (folder: string): Binaries =>
  Object.fromEntries(NAMES.map((name) => [name, join(folder, name)])) as Binaries;

const build = async (folder: string): Promise<Binaries> => {
  const binaries = binariesIn(join(folder, 'bin'));
  const missing = NAMES.filter((name) => !areBuilt(binaries[name]));
  if (missing.length === 0) return binaries;
  process.stderr.write(
    `Building ${missing.join(', ')} in ${folder}; the first time that takes some ten minutes.\n`,
  );
  mkdirSync(join(folder, 'bin'), { recursive: true });
  const compile = kubernetesCompiler(KUBERNETES_VERSION, join(folder, 'src'));
  for (const name of missing) await compile(['build'], binaries[name], PACKAGES[name]);
  return binaries;
};

/** `folder`: where programs are that exist; absent: builds what is missing in the cache, or in `ROLLCALL_KUBERNETES`. */
export const findBinaries = async (folder: string | undefined): Promise<Binaries | Skipped> => {
  if (folder === undefined && !hasGo())
    return { skipped: 'the programs of Kubernetes are built with Go 1.21 or later' };
  if (folder === undefined)
    return build(cacheFolder(`kubernetes-${KUBERNETES_VERSION}`, 'ROLLCALL_KUBERNETES'));
  const binaries = binariesIn(folder);
  const missing = NAMES.filter((name) => !areBuilt(binaries[name]));
  return missing.length === 0 ? binaries : { skipped: `${folder} has no ${missing.join(', ')}` };
};
