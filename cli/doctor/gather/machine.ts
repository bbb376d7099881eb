/** Looks at this program and this machine. */
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { access, readdir, readFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { dirname } from 'node:path';
import { promisify } from 'node:util';
import { findProgram } from '../../../agent/adapters/linux/find-program.ts';
import { tryRuntimes } from '../../../agent/adapters/oci-runtime/trial.ts';
import { isSwapOn } from '../../../agent/rules/memory/swap-start.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { isRoot } from '../../agent/agent-options.ts';
import { ownVersion } from '../../shell/version.ts';
import type { MachineFacts, ProgramFacts } from '../facts/facts.ts';
import { freeIn } from './folder.ts';

const KUBECTL_MS = 5_000;
const SOCKET_MS = 2_000;
const TRIAL_STEP_MS = 5_000;
const CONTAINERD = '/run/containerd/containerd.sock';
const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'https_proxy', 'http_proxy'];

type Env = Readonly<Record<string, string | undefined>>;

const kubectlVersion = async (): Promise<string | undefined> => {
  try {
    const args = ['version', '--client', '--output=json'];
    const { stdout } = await promisify(execFile)('kubectl', args, { timeout: KUBECTL_MS });
    return (JSON.parse(stdout) as { clientVersion?: { gitVersion?: string } }).clientVersion?.gitVersion;
  } catch {
    return undefined;
  }
};

/** Everything but the clock, which is known when the other facts are. */
export const programFacts = async (env: Env): Promise<Omit<ProgramFacts, 'clockStepMs' | 'now'>> => {
  const kubectl = await kubectlVersion();
  return {
    node: process.versions.node,
    version: ownVersion(),
    ...optional('kubectl', kubectl),
    proxies: PROXIES.filter((name) => env[name]),
    noProxy: env['NO_PROXY'] ?? env['no_proxy'] ?? '',
  };
};

const containerd = async (): Promise<MachineFacts['containerd']> => {
  if (
    !(await access(CONTAINERD).then(
      () => true,
      () => false,
    ))
  )
    return 'absent';
  return new Promise((resolve) => {
    const socket = connect(CONTAINERD);
    const end = (state: MachineFacts['containerd']) => (): void => {
      socket.destroy();
      resolve(state);
    };
    socket.on('connect', end('answers')).on('error', end('refuses')).setTimeout(SOCKET_MS, end('refuses'));
  });
};

const textOf = (path: string): Promise<string | undefined> => readFile(path, 'utf8').catch(() => undefined);

const CGROUPS = '/sys/fs/cgroup';

/** Version 2 has one tree and a file with its controllers; version 1 has a folder for each. */
const cgroupsOf = async (): Promise<MachineFacts['cgroups']> => {
  const controllers = await textOf(`${CGROUPS}/cgroup.controllers`);
  if (controllers !== undefined) return { version: 2, controllers: controllers.trim().split(/\s+/) };
  const folders = await readdir(CGROUPS).catch(() => []);
  return folders.length === 0 ? undefined : { version: 1, controllers: folders };
};

/** The folder, or the first one above it that is there: containers are tried on the disk of pods. */
const folderThere = (folder: string): string => (existsSync(folder) ? folder : folderThere(dirname(folder)));

/** What the agent with this root folder takes of the machine. */
export const machineFacts = async (root: string): Promise<MachineFacts> => {
  const cgroups = await cgroupsOf();
  const { freeBytes } = await freeIn(root);
  return {
    isRoot: isRoot(),
    freeBytes,
    containerd: await containerd(),
    hasFlock: findProgram('flock') !== undefined,
    isolation: await tryRuntimes({ folder: folderThere(root), stepMs: TRIAL_STEP_MS }),
    hasRuntime: findProgram('runc', 'crun') !== undefined && findProgram('conmon') !== undefined,
    osRelease: (await textOf('/etc/os-release')) ?? '',
    isSwapOn: isSwapOn((await textOf('/proc/swaps')) ?? ''),
    ...optional('cgroups', cgroups),
  };
};
