/** A runtime of OCI bundles on this machine, in a folder and a control group of its own. */
import { randomUUID } from 'node:crypto';
import { mkdtempSync, readFileSync, rmdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findTrees } from '../../../../agent/adapters/linux/groups/cgroup-trees.ts';
import { findCgroups } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import { createControlGroups } from '../../../../agent/adapters/linux/groups/control-groups.ts';
import { createTrash } from '../../../../agent/adapters/linux/trees/remove-tree.ts';
import { agentFacts } from '../../../../agent/adapters/oci-runtime/agent-facts.ts';
import {
  createOciRuntime,
  type OciRuntime,
  type OciRuntimeOptions,
} from '../../../../agent/adapters/oci-runtime/oci-runtime.ts';
import type { ContainerSpec, PodIdentity } from '../../../../agent/ports/machine/runtime.ts';
import type { RuntimeContainer } from '../../../../agent/rules/containers/runtime-status.ts';
import { logLine } from '../../../../agent/rules/cri/log-lines.ts';
import { eventually } from '../../clocks/eventually.ts';
import { missingForBundles, UNCHANGED_PROGRAMS } from '../oci/bundle-machine.ts';
import { podOf } from '../pods/pod-world.ts';
import { removeTrees } from './agent-process.ts';
import { processesOfPods } from './pod-processes.ts';

const PATIENCE_MS = 60_000;
const CONMON = '/usr/bin/conmon';

/** Why containers cannot be tried on this machine; `undefined`: they can. */
export const missingForGroups = (): string | undefined => {
  if (process.getuid?.() !== 0) return 'not root';
  const name = `/rollcall-try-${process.pid}`;
  const { trees, tracker, problems } = findTrees(name, '/');
  for (const { mountPoint } of trees) rmdirSync(join(mountPoint, name));
  return tracker && trees.some(({ controllers }) => controllers.includes('memory'))
    ? missingForBundles()
    : problems.join('; ');
};

/** The `securityContext` of the pod, and that of the container. */
export interface Contexts {
  readonly ofPod?: object;
  readonly own?: object;
}

/** What a test asks of the machine. */
export interface RuntimeMachine {
  readonly folder: string;
  readonly options: OciRuntimeOptions;
  readonly pod: PodIdentity;
  runtime(): OciRuntime;
  /** Starts another runtime on the same folder, as an agent that was started again. */
  restart(): Promise<OciRuntime>;
  start(command: readonly string[], more?: Partial<ContainerSpec>, contexts?: Contexts): Promise<string>;
  shell(script: string, more?: Partial<ContainerSpec>, contexts?: Contexts): Promise<string>;
  container(id: string): Promise<RuntimeContainer | undefined>;
  /** Resolves with the container when it has ended. */
  ended(id: string): Promise<RuntimeContainer>;
  /** What the program wrote, without times. */
  log(id: string): string;
  /** The folder of a container. */
  place(id: string): string;
  /** Programs of a container, without its keeper. */
  processes(id: string): readonly number[];
  close(): Promise<void>;
}

/** What programs wrote that is kept in this file of a log. */
export const writtenIn = (log: string): string =>
  log
    .split('\n')
    .flatMap((line) => logLine(line) ?? [])
    .map(({ text, isPart }) => `${text}${isPart ? '' : '\n'}`)
    .join('');

const optionsIn = (folder: string, podsCgroup: string): OciRuntimeOptions => ({
  root: join(folder, 'root'),
  podsCgroup,
  groups: createControlGroups(podsCgroup, '/', false, 'runtime'),
  programs: {
    runtime: { program: '/usr/sbin/runc', stateFolder: join(folder, 'state'), callMs: PATIENCE_MS },
    conmon: CONMON,
    hasOverlays: true,
    perl: '/usr/bin/perl',
    terminal: { script: '/usr/bin/script', stty: '/usr/bin/stty' },
  },
  agent: agentFacts({
    isVersion2: findCgroups().mounts.memory?.version === 'v2',
    boundsSwap: false,
    killsSingleProcess: true,
  }),
  seccomp: { profiles: join(folder, 'seccomp'), isDefault: true },
  hostImagePaths: [],
  imageFolders: [folder],
  privateFolders: [],
  trash: createTrash({ folder: join(folder, 'trash'), log: (message) => console.error(message) }),
  name: 'runc',
  check: UNCHANGED_PROGRAMS,
  now: Date.now,
  uptime: () => performance.now(),
  logs: { maxSize: 1_000_000, maxFiles: 3 },
  logPeriodMs: 60_000,
  sweepPeriodMs: 500,
  report: (error) => console.error(error),
});

/** Makes a runtime with one sandbox. */
export const startRuntimeMachine = async (more: Partial<OciRuntimeOptions> = {}): Promise<RuntimeMachine> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-runtime-'));
  const podsCgroup = `/rollcall-test-${randomUUID().slice(0, 8)}`;
  const options = { ...optionsIn(folder, podsCgroup), ...more };
  const pod = { namespace: 'default', name: 'web', uid: randomUUID() };
  let runtime = await createOciRuntime(options);
  await runtime.createSandbox({ pod, hostname: 'web', bounds: {}, logFolder: join(folder, 'logs') });

  const start: RuntimeMachine['start'] = (command, spec = {}, { ofPod = {}, own = {} } = {}) => {
    const { name = 'main', image = 'host' } = spec;
    const container = { name, image, command, securityContext: own };
    return runtime.startContainer({
      pod,
      name,
      restartCount: 0,
      image,
      command,
      source: {
        pod: podOf('web', { containers: [container], securityContext: ofPod }),
        container,
        command,
        args: [],
      },
      environment: {},
      mounts: [],
      bounds: {},
      oomScoreAdjust: 500,
      ...spec,
    });
  };
  const container = async (id: string): Promise<RuntimeContainer | undefined> => {
    const pods = await runtime.pods();
    return pods.flatMap(({ containers }) => containers).find((one) => one.id === id);
  };
  const parts = (id: string): readonly string[] => id.replace(/^\w+:\/\//, '').split('/');
  const nameOf = (id: string): string => {
    const [uid = '', name = '', count = ''] = parts(id);
    return `${uid}/${name}_${count}`;
  };
  return {
    folder,
    options,
    pod,
    runtime: () => runtime,
    restart: async () => {
      runtime.close();
      runtime = await createOciRuntime(options);
      return runtime;
    },
    start,
    shell: (script, spec, contexts) => start(['/bin/sh', '-c', script], spec, contexts),
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
      return writtenIn(readFileSync(join(folder, 'logs', name, `${count}.log`), 'utf8'));
    },
    place: (id) => join(options.root, 'pods', nameOf(id)),
    processes: (id) =>
      processesOfPods(podsCgroup)
        .filter(({ container: name, isKeeper }) => name === nameOf(id) && !isKeeper)
        .map(({ pid }) => pid),
    close: async () => {
      for (const { pod: one } of await runtime.pods()) await runtime.removePod(one.uid);
      runtime.close();
      options.trash.close();
      await removeTrees(podsCgroup);
      rmSync(folder, { recursive: true, force: true });
    },
  };
};
