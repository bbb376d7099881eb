/** Kubernetes' own end-to-end tests, its kubectl and its scheduler, built from the Go module proxy into a cache. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  writeFileSync,
} from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { moduleText } from './module-text.ts';

const VERSION = '1.34.4';

/** `ROLLCALL_E2E` names another folder. */
export const cacheFolder = (): string => {
  const cache = process.env['XDG_CACHE_HOME'] ?? join(homedir(), '.cache');
  return process.env['ROLLCALL_E2E'] ?? join(cache, 'rollcall', `e2e-${VERSION}`);
};

export interface Binaries {
  readonly tests: string;
  readonly kubectl: string;
  readonly scheduler: string;
}

const go = async (folder: string, args: readonly string[]): Promise<void> => {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false' };
  const child = spawn('nice', ['go', ...args], { cwd: folder, env, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go ${args.slice(0, 2).join(' ')} failed (${code})`);
};

interface Downloaded {
  readonly Dir: string;
  readonly GoMod: string;
}

const download = (): Downloaded => {
  const cwd = mkdtempSync(join(tmpdir(), 'rollcall-e2e-'));
  const { stdout, stderr, status } = spawnSync(
    'go',
    ['mod', 'download', '-json', `k8s.io/kubernetes@v${VERSION}`],
    { cwd, encoding: 'utf8' },
  );
  if (status !== 0) throw new Error(`the module of Kubernetes cannot be downloaded: ${stderr}${stdout}`);
  return JSON.parse(stdout) as Downloaded;
};

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
  const { Dir, GoMod } = download();
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'go.mod'), moduleText(VERSION, readFileSync(GoMod, 'utf8')));
  copyFileSync(join(Dir, 'go.sum'), join(folder, 'go.sum'));
  chmodSync(join(folder, 'go.sum'), 0o644);
};

/** Builds what is missing: some ten minutes the first time on two cores. */
export const buildBinaries = async (): Promise<Binaries> => {
  const folder = cacheFolder();
  const at = (name: string): string => join(folder, 'bin', name);
  const binaries = { tests: at('e2e.test'), kubectl: at('kubectl'), scheduler: at('kube-scheduler') };
  if (Object.values(binaries).every((path) => existsSync(path))) return binaries;
  const source = join(folder, 'src');
  console.log(`Building Kubernetes' tests in ${folder}; the first time that takes some ten minutes.`);
  prepareSource(source);
  const flags = ['-mod=mod', '-trimpath', `-ldflags=${linkerFlags()}`];
  for (const name of ['kubectl', 'kube-scheduler'])
    await go(source, ['build', ...flags, '-o', at(name), `k8s.io/kubernetes/cmd/${name}`]);
  await go(source, ['test', '-c', ...flags, '-o', binaries.tests, 'k8s.io/kubernetes/test/e2e']);
  return binaries;
};
