/**
 * Whether this machine isolates containers: one is made as all others will be, with an overlay, a limit and a profile of system calls. It
 * starts, a command runs in it, and it is killed and removed. Only this finds out what a runtime of a machine can do.
 */
import { mkdtempSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import type { AgentPod } from '../../rules/containers/agent-pod.ts';
import type { Container } from '../../rules/containers/container.ts';
import { type AgentFacts, execProcess } from '../../rules/oci/config.ts';
import type { OciConfig } from '../../rules/oci/runtime-spec.ts';
import { nextSlot } from '../../rules/oci/user.ts';
import { HOST_IMAGE } from '../../rules/runtime/host-image.ts';
import { textAtMost } from '../linux/bounded-file.ts';
import { makeFolder, PRIVATE_FOLDER } from '../linux/closed-folder.ts';
import { findProgram } from '../linux/find-program.ts';
import { findCgroups } from '../linux/groups/cgroups.ts';
import { removeTree } from '../linux/trees/remove-tree.ts';
import { agentFacts } from './agent-facts.ts';
import { makeBundle } from './bundles/bundle.ts';
import { createContainer, exitFile, keeperPid } from './bundles/conmon.ts';
import {
  callFault,
  containerState,
  execInContainer,
  killContainer,
  type RuntimePlace,
  startContainer,
  versionOf,
} from './bundles/runtime-calls.ts';
import { endAttempt, NAME, removeFormerTrials, STATE, trialContainer, trialPrefix } from './former-trials.ts';

/** The runtime that works here. */
export interface WorkingRuntime {
  /** `runc` or `crun`. */
  readonly name: string;
  /** Absolute path of the program. */
  readonly program: string;
  readonly version: string;
  readonly conmon: string;
  readonly conmonVersion: string;
  /** Without overlays containers need `readOnlyRootFilesystem: true`. */
  readonly hasOverlays: boolean;
  /** Folders of the machine that the image `host` does not show, as another file system is mounted there. */
  readonly unseen: readonly string[];
}

/** `faults`: why none works, each in the words of the program that said so. */
export type Trial = { readonly runtime: WorkingRuntime } | { readonly faults: readonly string[] };

export interface TrialOptions {
  /** Folder in which the trial makes its own, on the file system of the containers. It removes it. */
  readonly folder: string;
  /** How long each step may take (ms). */
  readonly stepMs: number;
  /** Finds programs of the machine, such as `runc`. */
  readonly find?: (name: string) => string | undefined;
}

const RUNTIMES = ['runc', 'crun'];
const MEMORY_BYTES = 64 * 2 ** 20;
const MOST_PROCESSES = 64;
const ROUND_MS = 10;
/** 128 and the number of SIGKILL. */
const KILLED = '137';
const MOST_CODE = 16;

const NO_SLOTS: ReadonlySet<number> = new Set();

/** It ends by itself, whatever becomes of the trial. */
const CONTAINER: Container = { name: 'trial', image: HOST_IMAGE, command: ['sleep', '60'] };

const containerOf = (hasOverlays: boolean): Container =>
  hasOverlays ? CONTAINER : { ...CONTAINER, securityContext: { readOnlyRootFilesystem: true } };

const podOf = (container: Container): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name: NAME, namespace: 'default', uid: NAME },
  spec: { containers: [container] },
});

/** No more than the trial needs. */
const abilities = (): AgentFacts['abilities'] => ({
  isVersion2: findCgroups().mounts.memory?.version === 'v2',
  boundsSwap: false,
  killsSingleProcess: true,
});

const bundleOf = (attempt: string, id: string, hasOverlays: boolean) => {
  const container = containerOf(hasOverlays);
  return makeBundle({
    pod: podOf(container),
    container,
    spec: {
      image: HOST_IMAGE,
      command: container.command ?? [],
      environment: {},
      mounts: [],
      bounds: { cpuLimitMilli: 1000, memoryLimitBytes: MEMORY_BYTES, pidsLimit: MOST_PROCESSES },
      oomScoreAdjust: 1000,
    },
    hostname: NAME,
    slot: nextSlot(NO_SLOTS) ?? 0,
    attempt,
    cgroupsPath: `/${id}`,
    hostImagePaths: [],
    imageFolders: [],
    privateFolders: [],
    hasOverlays,
    seccomp: { profiles: '', isDefault: true },
    agent: agentFacts(abilities()),
  });
};

/** What `/proc/self/status` in the container must say. */
const statusFault = (status: string, { process: { user } }: OciConfig): string | undefined => {
  const valueIn = (name: string): string => new RegExp(`^${name}:\\s*(\\S+)`, 'm').exec(status)?.[1] ?? '';
  if (valueIn('Uid') !== String(user.uid))
    return `exec: a command ran as user ${valueIn('Uid')}, not ${user.uid}`;
  if (valueIn('Seccomp') !== '2') return 'exec: no system call is filtered';
  return valueIn('NoNewPrivs') === '1' ? undefined : 'exec: a command can get more rights';
};

/** The command sees what the container is. */
const tryCommand = async (
  place: RuntimePlace,
  id: string,
  attempt: string,
  config: OciConfig,
): Promise<void> => {
  const processFile = join(attempt, 'exec.json');
  writeFileSync(processFile, JSON.stringify(execProcess(config, ['cat', '/proc/self/status'], false)), {
    mode: 0o600,
  });
  const command = { processFile, pidFile: join(attempt, 'exec.pid'), timeoutMs: place.callMs };
  const end = await execInContainer(place, id, command);
  const fault = callFault('exec', end) ?? statusFault(end.output.toString(), config);
  if (fault !== undefined) throw new Error(fault);
};

/** conmon ends after its container. Whether it has. */
const keeperEnds = async (attempt: string, mostMs: number): Promise<boolean> => {
  const until = performance.now() + mostMs;
  while (performance.now() < until) {
    if ((await keeperPid(attempt)) === undefined) return true;
    await wait(ROUND_MS);
  }
  return false;
};

/** The kill ends the container, and conmon writes down how. */
const tryKill = async (place: RuntimePlace, id: string, attempt: string): Promise<void> => {
  await killContainer(place, id, 'KILL');
  if (!(await keeperEnds(attempt, place.callMs))) throw new Error('kill: the container did not end in time');
  const code = await textAtMost(exitFile(attempt, id), MOST_CODE);
  if (code.trim() !== KILLED)
    throw new Error(`kill: conmon wrote the exit code "${code.trim()}", not ${KILLED}`);
};

const tryState = async (place: RuntimePlace, id: string): Promise<void> => {
  const state = await containerState(place, id);
  if (state?.status !== 'running')
    throw new Error(`state: the container is ${state?.status ?? 'not there'}, not running`);
};

interface Candidate {
  readonly place: RuntimePlace;
  readonly conmon: string;
  readonly hasOverlays: boolean;
}

/** Resolves with the folders that are not seen. Rejects with the words of the step that failed; nothing is left in either case. */
const tryOne = async (
  { place, conmon, hasOverlays }: Candidate,
  folder: string,
): Promise<readonly string[]> => {
  const attempt = join(folder, `${basename(place.program)}-${hasOverlays ? 'overlay' : 'flat'}`);
  const id = trialContainer(attempt);
  try {
    const { config, root } = await bundleOf(attempt, id, hasOverlays);
    const logFile = join(attempt, 'log');
    await createContainer({ program: conmon, runtime: place, id, attempt, logFile, groupFiles: [] });
    await startContainer(place, id);
    await tryState(place, id);
    await tryCommand(place, id, attempt, config);
    await tryKill(place, id, attempt);
    return root.unseen;
  } finally {
    await endAttempt(attempt, [place], place.callMs);
  }
};

const wordsOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));

/** With overlays, and without them if they are what it fails for. */
const tryProgram = async (
  name: string,
  program: string,
  conmon: string,
  { folder, stepMs }: TrialOptions,
): Promise<Trial> => {
  const place = { program, stateFolder: join(folder, STATE), callMs: stepMs };
  const [version, conmonVersion] = [await versionOf(program), await versionOf(conmon)];
  const tryWith = async (hasOverlays: boolean): Promise<Trial> => {
    try {
      const unseen = await tryOne({ place, conmon, hasOverlays }, folder);
      return { runtime: { name, program, version, conmon, conmonVersion, hasOverlays, unseen } };
    } catch (error) {
      return { faults: [`${name} ${version}: ${wordsOf(error)}`] };
    }
  };
  const first = await tryWith(true);
  return 'faults' in first && /overlay/i.test(first.faults.join()) ? await tryWith(false) : first;
};

const tryAll = async (options: TrialOptions, find: (name: string) => string | undefined): Promise<Trial> => {
  const conmon = find('conmon');
  const found = RUNTIMES.flatMap((name) => {
    const program = find(name);
    return program === undefined ? [] : [{ name, program }];
  });
  if (found.length === 0) return { faults: ['neither runc nor crun is there'] };
  if (conmon === undefined) return { faults: ['conmon is not there'] };
  const faults: string[] = [];
  for (const { name, program } of found) {
    const trial = await tryProgram(name, program, conmon, options);
    if ('runtime' in trial) return trial;
    faults.push(...trial.faults);
  }
  return { faults };
};

/** The first runtime that works. Never rejects. */
export const tryRuntimes = async (options: TrialOptions): Promise<Trial> => {
  // The programs of the agent do not keep its process alive by themselves.
  const alive = setInterval(() => undefined, options.stepMs);
  try {
    const find = options.find ?? findProgram;
    await removeFormerTrials(
      options.folder,
      RUNTIMES.flatMap((name) => find(name) ?? []),
      options.stepMs,
    );
    const folder = mkdtempSync(join(options.folder, trialPrefix()));
    try {
      makeFolder(join(folder, STATE), PRIVATE_FOLDER);
      return await tryAll({ ...options, folder }, find);
    } finally {
      await removeTree(folder);
    }
  } catch (error) {
    return { faults: [wordsOf(error)] };
  } finally {
    clearInterval(alive);
  }
};
