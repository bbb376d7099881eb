/** A runtime of plain processes on this machine, in a folder of its own. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { MARKER, signalMembers } from '../../../../agent/adapters/containers/kill-members.ts';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import {
  createPlainRuntime,
  type PlainRuntime,
} from '../../../../agent/adapters/plain-runtime/plain-runtime.ts';
import type { PlainRuntimeOptions } from '../../../../agent/adapters/plain-runtime/records.ts';
import type { ContainerSpec, PodIdentity } from '../../../../agent/ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../../agent/rules/containers/runtime-status.ts';
import { eventually } from '../../clocks/eventually.ts';
import { writtenIn } from './runtime-machine.ts';

const PATIENCE_MS = 30_000;

/** What a test asks of the machine. */
export interface PlainMachine {
  readonly folder: string;
  readonly pod: PodIdentity;
  /** What went wrong in the background. */
  readonly reports: string[];
  runtime(): PlainRuntime;
  /** Starts another runtime on the same folder; the one before does not end its pods, as an agent that was killed. */
  startNext(more?: Partial<PlainRuntimeOptions>): Promise<PlainRuntime>;
  start(command: readonly string[], more?: Partial<ContainerSpec>): Promise<string>;
  shell(script: string, more?: Partial<ContainerSpec>): Promise<string>;
  container(id: string): Promise<RuntimeContainer | undefined>;
  /** Resolves with the container when it has ended. */
  ended(id: string): Promise<RuntimeContainer>;
  /** The files of the log, the newest last, without those that are compressed. */
  logFiles(id: string): readonly string[];
  /** What the programs wrote, without times, from these files. */
  log(id: string): string;
  says(id: string, text: string): Promise<unknown>;
  /** The folder of a container. */
  place(id: string): string;
  /** How many processes are known by their environment. */
  marked(id: string): number;
  close(): Promise<void>;
}

/** Makes a runtime with one sandbox. */
export const startPlainMachine = async (more: Partial<PlainRuntimeOptions> = {}): Promise<PlainMachine> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-plain-'));
  const reports: string[] = [];
  const options: PlainRuntimeOptions = {
    root: join(folder, 'root'),
    trash: createTrash({ folder: join(folder, 'trash'), log: (message) => console.error(message) }),
    version: '1',
    now: Date.now,
    logs: { maxSize: 1_000_000, maxFiles: 3 },
    user: { name: 'worker', uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    report: (error) => reports.push(String(error)),
    ...more,
  };
  const pod = { namespace: 'default', name: 'web', uid: randomUUID() };
  const sandbox = { pod, hostname: 'web', bounds: {}, logFolder: join(folder, 'logs') };
  let runtime = await createPlainRuntime(options);
  const all = [runtime];
  await runtime.createSandbox(sandbox);
  const start: PlainMachine['start'] = (command, spec = {}) =>
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
  const container = async (id: string): Promise<RuntimeContainer | undefined> =>
    (await runtime.pod(pod.uid))?.containers.find((one) => one.id === id);
  const parts = (id: string): readonly string[] => id.replace('process://', '').split('/');
  const place = (id: string): string => {
    const [uid = '', name = '', count = ''] = parts(id);
    return join(options.root, 'pods', uid, `${name}_${count}`);
  };
  const logFiles = (id: string): readonly string[] => {
    const [, name = '', count = ''] = parts(id);
    const logs = join(folder, 'logs', name);
    const names = readdirSync(logs).filter(
      (one) => one.startsWith(`${count}.log`) && !/\.(gz|tmp)$/.test(one),
    );
    const [newest, ...rotated] = names.toSorted();
    return [...rotated, newest ?? ''].map((one) => join(logs, one));
  };
  const log = (id: string): string =>
    logFiles(id)
      .map((file) => writtenIn(readFileSync(file, 'latin1')))
      .join('');
  return {
    folder,
    pod,
    reports,
    runtime: () => runtime,
    startNext: async (given = {}) => {
      runtime = await createPlainRuntime({ ...options, ...given });
      all.push(runtime);
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
    logFiles,
    log,
    says: (id, text) =>
      eventually(`the log says ${text}`, PATIENCE_MS, async () => log(id).includes(text), { everyMs: 20 }),
    place,
    marked: (id) => signalMembers({ variable: MARKER, value: place(id) }, 0),
    close: async () => {
      for (const one of all) await one.close();
      options.trash.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
