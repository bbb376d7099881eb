/** Containers of a real OCI runtime on this machine, in folders of their own, without an agent. */
import { randomUUID } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { findCgroups } from '../../../../agent/adapters/linux/groups/cgroups.ts';
import { agentFacts } from '../../../../agent/adapters/oci-runtime/agent-facts.ts';
import { makeBundle } from '../../../../agent/adapters/oci-runtime/bundles/bundle.ts';
import {
  createContainer,
  exitFile,
  keeperPid,
  killKeeper,
} from '../../../../agent/adapters/oci-runtime/bundles/conmon.ts';
import {
  deleteContainer,
  type RuntimePlace,
  startContainer,
} from '../../../../agent/adapters/oci-runtime/bundles/runtime-calls.ts';
import type { ProgramsCheck } from '../../../../agent/adapters/oci-runtime/programs-check.ts';
import type { BundleSpec } from '../../../../agent/rules/oci/bundle-spec.ts';
import { eventually } from '../../clocks/eventually.ts';
import { BUSYBOX, missingForContainerd } from '../../cri/needs.ts';
import { podOf } from '../pods/pod-world.ts';

const RUNC = '/usr/sbin/runc';
const CONMON = '/usr/bin/conmon';
const PATIENCE_MS = 60_000;

/** Why no bundle can be tried here; `undefined`: it can. */
export const missingForBundles = (): string | undefined =>
  missingForContainerd() ??
  (existsSync(CONMON) ? undefined : `${CONMON} is not there: apt-get install --no-install-recommends conmon`);

/** Programs that are not changed meanwhile. */
export const UNCHANGED_PROGRAMS: ProgramsCheck = { version: () => '1', fault: async () => undefined };

/** A container that runs a script to its end. */
export interface Script {
  readonly text: string;
  /** `host` if absent. */
  readonly image?: string;
  readonly securityContext?: object;
  /** Of the pod. */
  readonly podSpec?: object;
  readonly spec?: Partial<BundleSpec>;
  /** Below the folder of the machine; its name begins the folder of the bundle. */
  readonly folderName?: string;
  /** Of the pod; 3 if absent. */
  readonly slot?: number;
}

export interface Ended {
  readonly code: number;
  readonly lines: readonly string[];
}

const linesIn = (log: string): readonly string[] =>
  readFileSync(log, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => line.split(' ').slice(3).join(' ').replace(/\r$/, ''));

const ownMounts = (folder: string): readonly string[] =>
  readFileSync('/proc/self/mountinfo', 'utf8')
    .split('\n')
    .filter((line) => line.includes(folder));

/** A folder with nothing but a busybox, as the image of a container. */
export const busyboxImage = (folder: string): string => {
  for (const name of ['bin', 'etc', 'srv', 'proc']) mkdirSync(join(folder, name), { recursive: true });
  copyFileSync(BUSYBOX, join(folder, 'bin/busybox'));
  for (const name of [
    'sh',
    'cat',
    'ls',
    'mknod',
    'dd',
    'mkdir',
    'grep',
    'mount',
    'touch',
    'tty',
    'chroot',
    'tail',
    'id',
    'sleep',
    'rm',
  ])
    symlinkSync('busybox', join(folder, 'bin', name));
  return folder;
};

export const createBundleMachine = () => {
  const root = mkdtempSync(join(tmpdir(), 'rollcall-oci-'));
  const name = basename(root);
  const place: RuntimePlace = { program: RUNC, stateFolder: join(root, 'state'), callMs: PATIENCE_MS };
  mkdirSync(place.stateFolder, { mode: 0o700 });

  const bundleOf = (attempt: string, id: string, script: Script) => {
    const { image = 'host', securityContext = {}, podSpec = {}, spec = {}, slot = 3, text } = script;
    const container = { name: 'c', image, securityContext };
    return makeBundle({
      pod: podOf('p', { containers: [container], ...podSpec }),
      container,
      spec: {
        image,
        command: ['/bin/sh', '-c', text],
        environment: {},
        mounts: [],
        bounds: { memoryLimitBytes: 64 * 2 ** 20, pidsLimit: 64 },
        oomScoreAdjust: 1000,
        ...spec,
      },
      hostname: 'p',
      slot,
      attempt,
      cgroupsPath: `/${id}`,
      hostImagePaths: [],
      imageFolders: [root],
      privateFolders: [],
      hasOverlays: true,
      seccomp: { profiles: root, isDefault: true },
      agent: agentFacts({
        isVersion2: findCgroups().mounts.memory?.version === 'v2',
        boundsSwap: false,
        killsSingleProcess: true,
      }),
    });
  };

  /** Runs it and removes it. Rejects with the runtime's words if it does not start. */
  const run = async (script: Script): Promise<Ended> => {
    const id = `${name}-${randomUUID()}`;
    const attempt = join(root, `${script.folderName ?? ''}${id}`);
    const logFile = join(root, `${id}.log`);
    const input = script.spec?.input;
    try {
      await bundleOf(attempt, id, script);
      const plan = { program: CONMON, runtime: place, id, attempt, logFile, groupFiles: [] };
      await createContainer({ ...plan, ...(input && { input }) });
      await startContainer(place, id);
      const exit = exitFile(attempt, id);
      const code = await eventually(
        'the end of the container',
        PATIENCE_MS,
        async () => existsSync(exit) && readFileSync(exit, 'utf8'),
      );
      await eventually(
        'the end of conmon',
        PATIENCE_MS,
        async () => (await keeperPid(attempt)) === undefined,
      );
      return { code: Number(code), lines: linesIn(logFile) };
    } finally {
      await deleteContainer(place, id);
      await killKeeper(attempt);
    }
  };

  return {
    root,
    /** Begins the ids of its containers, and the names of their control groups. */
    name,
    run,
    /** What is mounted in the folder, in the machine's own namespace. */
    mounts: () => ownMounts(root),
    /** Containers that the runtime still has. */
    containers: () => readdirSync(place.stateFolder),
    remove: () => rmSync(root, { recursive: true, force: true }),
  };
};

export type BundleMachine = ReturnType<typeof createBundleMachine>;
