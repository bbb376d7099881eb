/** Starts containers, and sees to their ends. */
import { dirname, join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { optional } from '../../../shared/kube/values/optional.ts';
import type { ContainerSpec } from '../../ports/machine/runtime.ts';
import { isSafeName } from '../../rules/containers/container-id.ts';
import type { Exit } from '../../rules/containers/exit.ts';
import { sizeFault } from '../../rules/runtime/program-size.ts';
import { killMembers, MARKER } from '../containers/kill-members.ts';
import { StartRefusedError } from '../containers/start-refused.ts';
import { logEnd } from '../cri/logs.ts';
import { LOG_FOLDER, makeFolder } from '../linux/closed-folder.ts';
import { markOf } from '../linux/processes.ts';
import { type Launched, launch, type Surroundings, surroundingsOf } from './launch.ts';
import { type OutputLog, openOutputLog } from './output-log.ts';
import {
  type EndRecord,
  type Kept,
  type KeptPod,
  latestOf,
  type MainRecord,
  type Parts,
  placeOf,
  type Running,
  writeContainer,
  writeEnd,
  writeMain,
} from './records.ts';

/** How long output is waited for that a process holds which was not found (ms). */
const DRAIN_MS = 2_000;

/** What never was a program. Source: containerd `errorStartExitCode`. */
const NOT_STARTED: Exit = { code: 128, oomKills: 0, isUnknown: false };

/** Writes down how the container ended. On a full disk the next agent takes it for unknown. */
export const putEnd = ({ options }: Parts, kept: Kept, end: EndRecord): void => {
  kept.end = end;
  try {
    writeEnd(kept, end);
  } catch (error) {
    options.report(error);
  }
};

const fallbackMessage = async ({ record }: Kept, spec: ContainerSpec, code: number): Promise<string> =>
  spec.terminationMessageFallsBackToLogs && code !== 0 ? await logEnd(record.logFile) : '';

/** What is left of the container ends with its first process. */
const finish = async (
  parts: Parts,
  kept: Kept,
  { spec, main, stdin, stdout, stderr }: Omit<Running, 'ended'>,
  code: number,
  output: { readonly log: OutputLog; readonly carried: Promise<unknown> },
): Promise<void> => {
  const finishedAt = Math.max(parts.options.now(), main.startedAt);
  await killMembers({ variable: MARKER, value: kept.folder, leader: { ...main, hasJustEnded: true } });
  await Promise.race([output.carried, wait(DRAIN_MS, undefined, { ref: false })]);
  for (const stream of [stdin, stdout, stderr]) stream?.destroy();
  await output.log.close();
  const message = await fallbackMessage(kept, spec, code);
  putEnd(parts, kept, { exit: { code, oomKills: 0, isUnknown: false }, hasRun: true, finishedAt, message });
  delete kept.running;
  for (const callback of parts.callbacks) callback(spec.pod.uid);
};

const mainOf = ({ options, bootId }: Parts, pid: number): MainRecord => ({
  ...(markOf(pid) ?? { pid, startTime: '0' }),
  bootId,
  startedAt: options.now(),
});

const carry = (log: OutputLog, { stdout, stderr }: Launched): Promise<unknown> =>
  Promise.all([log.carry('stdout', stdout), log.carry('stderr', stderr)]);

const runProgram = async (
  parts: Parts,
  kept: Kept,
  spec: ContainerSpec,
  surroundings: Surroundings,
): Promise<void> => {
  const { options, mkfifo } = parts;
  makeFolder(dirname(kept.record.logFile), LOG_FOLDER);
  const { logs: bounds, now, report } = options;
  const log = await openOutputLog({ path: kept.record.logFile, bounds, now, report });
  const launched = await launch(spec, surroundings, kept.folder, mkfifo).catch(async (error: unknown) => {
    await log.close();
    throw error;
  });
  const { pid = 0 } = launched.child;
  const main = mainOf(parts, pid);
  kept.main = main;
  const running = { ...launched, spec, main, surroundings };
  const output = { log, carried: carry(log, launched) };
  const ended = launched.exited.then((code) => finish(parts, kept, running, code, output)).catch(report);
  kept.running = { ...running, ended };
  // Without this file, on a full disk, the next agent finds the processes by their environment.
  try {
    writeMain(kept, main);
  } catch (error) {
    report(error);
  }
};

const checkSpec = ({ name, command }: ContainerSpec, { environment }: Surroundings): void => {
  if (!isSafeName(name)) throw new Error(`the name "${name}" cannot be the name of a folder`);
  if (command.length === 0) throw new StartRefusedError('CreateContainerError', 'no command specified');
  const tooLarge = sizeFault(command, environment);
  if (tooLarge !== undefined) throw new StartRefusedError('RunContainerError', tooLarge);
};

const reserve = (
  { options }: Parts,
  pod: KeptPod,
  { name, restartCount, image }: ContainerSpec,
  place: Pick<Kept, 'id' | 'folder'>,
): Kept => {
  const createdAt = Math.max(options.now(), latestOf(pod));
  const logFile = join(pod.record.logFolder, name, `${restartCount}.log`);
  const record = { name, restartCount, image, createdAt, logFile };
  writeContainer(place.folder, record);
  return { ...place, record };
};

const startNew = async (
  parts: Parts,
  kept: Kept,
  spec: ContainerSpec,
  surroundings: Surroundings,
): Promise<void> => {
  try {
    await runProgram(parts, kept, spec, surroundings);
  } catch (error) {
    const message = error instanceof Error ? error.message : String(error);
    const finishedAt = Math.max(parts.options.now(), kept.record.createdAt);
    putEnd(parts, kept, { exit: NOT_STARTED, hasRun: false, finishedAt, message });
    throw error;
  }
};

/** Starts a container, unless it has been started, and resolves with its id. Rejects with what the machine says. */
export const startContainer = async (parts: Parts, spec: ContainerSpec): Promise<string> => {
  const { uid } = spec.pod;
  const pod = parts.pods.get(uid);
  if (!pod) throw new Error(`the pod ${uid} has no sandbox`);
  if (parts.isClosing) throw new Error('the agent ends, and its pods with it');
  const place = placeOf(parts.options.root, {
    podUid: uid,
    name: spec.name,
    restartCount: spec.restartCount,
  });
  const known = pod.containers.get(place.id);
  if (!known) {
    const surroundings = surroundingsOf(spec, pod.record.hostname, place.folder);
    checkSpec(spec, surroundings);
    const kept = reserve(parts, pod, spec, place);
    pod.containers.set(place.id, kept);
    kept.started = startNew(parts, kept, spec, surroundings);
  }
  await pod.containers.get(place.id)?.started;
  return place.id;
};

export const sandboxOf = (bootId: string, { record }: KeptPod) =>
  optional('sandboxCreatedAt', record.bootId === bootId ? record.createdAt : undefined);
