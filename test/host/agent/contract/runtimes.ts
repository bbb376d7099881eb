/** The runtimes of the agent, each on this machine in a folder of its own, and what each does not have. */
import { spawnSync } from 'node:child_process';
import { chownSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { OciRuntime } from '../../../../agent/adapters/oci-runtime/oci-runtime.ts';
import {
  createPlainRuntime,
  type PlainRuntime,
} from '../../../../agent/adapters/plain-runtime/plain-runtime.ts';
import { missingForBundles } from '../../../support/agent/oci/bundle-machine.ts';
import { SHELL_IMAGE, startContainerd } from '../../../support/cri/containerd.ts';
import { startCriMachine } from '../../../support/cri/cri-machine.ts';
import { missingForContainerd } from '../../../support/cri/needs.ts';
import { type ContractMachine, type Kind, sharedOptions, type TestedRuntime } from './machine.ts';
import { heal, ociRuntimeIn, silence } from './oci-here.ts';
import { startRootless, USER } from './rootless.ts';

const folderHere = (): string => mkdtempSync(join(tmpdir(), 'rollcall-contract-'));

const tested = (runtime: OciRuntime | PlainRuntime): TestedRuntime => ({
  ...runtime,
  log: runtime.streams.log,
});

const startOci = async (): Promise<ContractMachine> => {
  const folder = folderHere();
  let runtime = await ociRuntimeIn(folder);
  const restart: ContractMachine['restart'] = async (away) => {
    runtime.close();
    await away?.();
    runtime = await ociRuntimeIn(folder);
  };
  return {
    folder,
    image: 'host',
    runtime: () => tested(runtime),
    restart,
    silence: async () => {
      await restart(async () => silence(folder));
      return { heal: async () => heal(folder) };
    },
    close: async () => {
      runtime.close();
      rmSync(folder, { recursive: true });
    },
  };
};

const startOther = async (): Promise<ContractMachine> => {
  const folder = folderHere();
  chownSync(folder, USER.uid, USER.gid);
  let other = await startRootless(folder);
  const restart: ContractMachine['restart'] = async (away) => {
    await other.kill();
    await away?.();
    other = await startRootless(folder);
  };
  return {
    folder,
    image: 'host',
    runtime: () => other.runtime,
    restart,
    silence: async () => {
      await restart(async () => silence(folder));
      return { heal: async () => heal(folder) };
    },
    close: async () => {
      await other.kill();
      rmSync(folder, { recursive: true });
    },
  };
};

const startPlain = async (): Promise<ContractMachine> => {
  const folder = folderHere();
  const user = { name: 'worker', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 };
  const all = [await createPlainRuntime({ ...sharedOptions(folder), user })];
  const last = (): PlainRuntime => all.at(-1) as PlainRuntime;
  return {
    folder,
    image: 'host',
    runtime: () => tested(last()),
    restart: async (away) => {
      await away?.();
      all.push(await createPlainRuntime({ ...sharedOptions(folder), user }));
    },
    close: async () => {
      for (const runtime of all) await runtime.close();
      rmSync(folder, { recursive: true });
    },
  };
};

const startCri = async (): Promise<ContractMachine> => {
  const containerd = await startContainerd();
  const machine = await startCriMachine(containerd);
  return {
    folder: containerd.folder,
    image: SHELL_IMAGE,
    runtime: () => ({ ...machine.runtime(), log: machine.runtime().streams.log }),
    restart: async (away) => {
      await away?.();
      await machine.restart();
    },
    silence: async () => {
      await containerd.kill();
      await machine.restart();
      return { heal: () => containerd.start() };
    },
    close: async () => {
      machine.close();
      await containerd.close();
    },
  };
};

/** The folder of the checkout may be closed to others, and namespaces to all but root. */
const missingForOthers = (): string | undefined => {
  const tries = [
    [process.execPath, resolve('cli/rollcall.js'), '--version'],
    ['unshare', '--user', '--pid', '--fork', 'true'],
  ];
  const can = tries.every(
    ([program = '', ...words]) => spawnSync(program, words, { ...USER, cwd: '/' }).status === 0,
  );
  return can ? undefined : 'no other user can have namespaces here';
};

export const KINDS: readonly Kind[] = [
  { name: 'OCI', missing: missingForBundles(), lacks: [], start: startOci },
  {
    name: 'OCI without root',
    missing: missingForBundles() ?? missingForOthers(),
    lacks: ['OOMKilled', 'usage'],
    start: startOther,
  },
  { name: 'CRI', missing: missingForContainerd(), lacks: ['whole commands'], start: startCri },
  {
    name: 'plain',
    missing: undefined,
    lacks: ['life without the agent', 'OOMKilled', 'writable layer', 'usage', 'silence'],
    start: startPlain,
  },
];
