/** A process runtime on this machine, in a folder and a control group of its own. */

import { execFileSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmdirSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { findTrees } from '../../../../agent/adapters/linux/groups/cgroup-trees.ts';
import { findProcesses } from '../../../../agent/adapters/linux/processes.ts';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import type { ProcessRuntimeOptions } from '../../../../agent/adapters/process-runtime/lifecycle/parts.ts';
import {
  createProcessRuntime,
  type ProcessRuntime,
} from '../../../../agent/adapters/process-runtime/process-runtime.ts';
import type { ContainerSpec, PodIdentity } from '../../../../agent/ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../../agent/rules/containers/runtime-status.ts';
import { claimIn } from '../../../../agent/rules/runtime/container-state.ts';
import { cgroupMountsIn } from '../../../../agent/rules/stats/cgroup-layout.ts';
import { eventually } from '../../clocks/eventually.ts';

/** Which control groups the runtime finds: those of the machine, those of version 1 alone, or none. */
export type GroupsSeen = 'of the machine' | 'version 1' | 'none';

const PATIENCE_MS = 20_000;

/** Why control groups cannot be tried on this machine; `undefined`: they can. */
export const missingForGroups = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'not root';
  const name = `/rollcall-try-${process.pid}`;
  const { trees, tracker, problems } = findTrees(name, '/');
  for (const { mountPoint } of trees) rmdirSync(join(mountPoint, name));
  return tracker && trees.some(({ controllers }) => controllers.includes('memory'))
    ? undefined
    : problems.join('; ');
};

/** `PF_EXITING` of the kernel: the process runs nothing any more. */
const EXITING = 0x4;

/** Whether it has ended or is about to: a killed process leaves its control group a moment before it leaves `/proc`. */
const isEnding = (pid: number): boolean => {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1');
    const [, , , , , , flags] = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return (Number(flags) & EXITING) !== 0;
  } catch {
    return true;
  }
};

/** A root with a table of mounts that has only these. */
const systemRoot = (folder: string, seen: GroupsSeen): string => {
  if (seen === 'of the machine') return '/';
  const root = join(folder, 'system');
  const info = readFileSync('/proc/self/mountinfo', 'utf8');
  const isKept = (line: string): boolean => {
    const [mount] = cgroupMountsIn(line);
    return !mount || (seen === 'version 1' && mount.version === 'v1');
  };
  mkdirSync(join(root, 'proc/self'), { recursive: true });
  writeFileSync(join(root, 'proc/self/mountinfo'), info.split('\n').filter(isKept).join('\n'));
  symlinkSync('/sys', join(root, 'sys'));
  return root;
};

/** Whether this machine has control groups of version 1. */
export const hasVersion1 = (): boolean =>
  cgroupMountsIn(readFileSync('/proc/self/mountinfo', 'utf8')).some(
    ({ version, controllers }) => version === 'v1' && controllers.includes('memory'),
  );

/** Copies a shell and some programs with their libraries into a folder that can be a root. */
export const makeImage = (folder: string): string => {
  for (const program of ['/bin/sh', '/bin/ls', '/bin/cat', '/bin/sleep', '/usr/bin/id']) {
    const libraries = execFileSync('ldd', [program], { encoding: 'utf8' }).match(/\/\S+/g) ?? [];
    for (const file of [program, ...libraries]) {
      mkdirSync(join(folder, dirname(file)), { recursive: true });
      copyFileSync(file, join(folder, file));
    }
  }
  for (const name of ['proc', 'dev', 'tmp', 'work']) mkdirSync(join(folder, name));
  return folder;
};

/** What a test asks of the machine. */
export interface RuntimeMachine {
  readonly folder: string;
  readonly options: ProcessRuntimeOptions;
  readonly pod: PodIdentity;
  runtime(): ProcessRuntime;
  /** Starts another runtime on the same folder, as an agent that was started again. */
  restart(): Promise<ProcessRuntime>;
  start(command: readonly string[], more?: Partial<ContainerSpec>): Promise<string>;
  shell(script: string, more?: Partial<ContainerSpec>): Promise<string>;
  container(id: string): Promise<RuntimeContainer | undefined>;
  /** Resolves with the container when it has ended. */
  ended(id: string): Promise<RuntimeContainer>;
  log(id: string): string;
  /** The folder of a container. */
  place(id: string): string;
  /** Processes of a container, without its shim. */
  processes(id: string): readonly number[];
  close(): Promise<void>;
}

/** Makes a runtime with one sandbox. */
export const startRuntimeMachine = async (
  seen: GroupsSeen = 'of the machine',
  more: Partial<ProcessRuntimeOptions> = {},
): Promise<RuntimeMachine> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-runtime-'));
  const options: ProcessRuntimeOptions = {
    root: join(folder, 'root'),
    podsCgroup: `/rollcall-test-${randomUUID().slice(0, 8)}`,
    trash: createTrash({ folder: join(folder, 'trash'), log: (message) => console.error(message) }),
    version: '1',
    now: Date.now,
    logs: { maxSize: 1_000_000, maxFiles: 3 },
    logPeriodMs: 60_000,
    sweepPeriodMs: 500,
    report: (error) => console.error(error),
    systemRoot: systemRoot(folder, seen),
    ...more,
  };
  const pod = { namespace: 'default', name: 'web', uid: randomUUID() };
  let runtime = await createProcessRuntime(options);
  await runtime.createSandbox({ pod, hostname: 'web', bounds: {}, logFolder: join(folder, 'logs') });

  const start: RuntimeMachine['start'] = (command, spec = {}) =>
    runtime.startContainer({
      pod,
      name: 'main',
      restartCount: 0,
      image: 'host',
      command,
      environment: {},
      mounts: [],
      bounds: {},
      oomScoreAdjust: 500,
      ...spec,
    });
  const container = async (id: string): Promise<RuntimeContainer | undefined> => {
    const pods = await runtime.pods();
    return pods.flatMap(({ containers }) => containers).find((one) => one.id === id);
  };
  const parts = (id: string): readonly string[] => id.replace('process://', '').split('/');
  const place = (id: string): string => {
    const [uid = '', name = '', count = ''] = parts(id);
    return join(options.root, 'pods', uid, `${name}_${count}`);
  };
  return {
    folder,
    options,
    pod,
    runtime: () => runtime,
    restart: async () => {
      runtime.close();
      runtime = await createProcessRuntime(options);
      return runtime;
    },
    start,
    shell: (script, spec) => start(['/bin/sh', '-c', script], spec),
    container,
    ended: (id) =>
      eventually(
        `${id} has ended`,
        PATIENCE_MS,
        async () => {
          const found = await container(id);
          return found?.state === 'exited' && found;
        },
        { everyMs: 20 },
      ),
    log: (id) => {
      const [, name = '', count = ''] = parts(id);
      return readFileSync(join(folder, 'logs', name, `${count}.log`), 'utf8');
    },
    place,
    processes: (id) => {
      const shim = claimIn(readFileSync(join(place(id), 'claim'), 'utf8'))?.pid;
      return findProcesses('ROLLCALL_CONTAINER', place(id)).filter((pid) => pid !== shim && !isEnding(pid));
    },
    close: async () => {
      for (const { pod: one } of await runtime.pods()) await runtime.removePod(one.uid);
      runtime.close();
      options.trash.close();
      for (const { mountPoint } of findTrees(options.podsCgroup, options.systemRoot ?? '/').trees)
        rmdirSync(join(mountPoint, options.podsCgroup));
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
