/** Starts containers: the runtime creates one below its keeper, what is about to run is stored, and only then the program runs. */
import { randomUUID } from 'node:crypto';
import { dirname, join } from 'node:path';
import { optional } from '../../../../shared/kube/values/optional.ts';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { StartRefusedError } from '../../containers/start-refused.ts';
import { LOG_FOLDER, makeFolder } from '../../linux/closed-folder.ts';
import { markOf } from '../../linux/processes.ts';
import { makeBundle } from '../bundles/bundle.ts';
import { createContainer, type KeeperPlan } from '../bundles/conmon.ts';
import { startContainer as startProgram } from '../bundles/runtime-calls.ts';
import { endUnrecorded } from './clean-up.ts';
import { keeperGroup, runtimeId } from './names.ts';
import type { OciParts } from './parts.ts';
import { attemptFolder, type OciRecord, writeRecord, writeStarted } from './records.ts';
import { discardAttempt, settle } from './settle.ts';
import { withParts, withPlaces } from './volume-parts.ts';

/** The kernel ends the keeper last: without it nobody hears of the program. */
const KEEPER_SCORE = -998;

/** A log that the agent does not rotate is begun anew by its keeper at so many times its bound. */
const UNROTATED = 4;

const recordOf = ({ places, bootId }: OciParts, spec: ContainerSpec, createdAt: EpochMs): OciRecord => {
  const pod = readPod(places.podFolder(spec.pod.uid));
  if (!pod) throw new Error(`the pod ${spec.pod.uid} has no sandbox`);
  const logFile = join(pod.spec.logFolder, spec.name, `${spec.restartCount}.log`);
  return { spec, createdAt, bootId, logFile, attempt: `a-${randomUUID()}` };
};

const bundleOf = (
  { agent, seccomp, hostImagePaths, imageFolders, privateFolders, programs, places }: OciParts,
  place: Place,
  record: OciRecord,
) => {
  const { spec } = record;
  if (!spec.source) throw new Error(`container ${place.id} has no source`);
  const pod = readPod(places.podFolder(spec.pod.uid));
  return makeBundle({
    ...spec.source,
    spec: { ...spec, mounts: withPlaces(attemptFolder(place, record), spec.mounts) },
    hostname: pod?.spec.hostname ?? '',
    slot: pod?.slot ?? 0,
    attempt: attemptFolder(place, record),
    cgroupsPath: place.group,
    hostImagePaths,
    imageFolders,
    privateFolders,
    hasOverlays: programs.hasOverlays,
    seccomp,
    agent,
  });
};

const keeperPlan = (
  { groups, programs, agent, logs }: OciParts,
  place: Place,
  record: OciRecord,
): KeeperPlan => ({
  program: programs.conmon,
  runtime: programs.runtime,
  id: runtimeId(place),
  attempt: attemptFolder(place, record),
  logFile: record.logFile,
  mostLogBytes: UNROTATED * logs.maxSize,
  ...optional('input', record.spec.input),
  groupFiles: groups.memberFiles(keeperGroup(place)),
  ...(!agent.rootless && { oomScoreAdjust: KEEPER_SCORE }),
});

/** Rejects with `StartRefusedError` in the runtime's words. */
const create = async (parts: OciParts, place: Place, record: OciRecord): Promise<number> => {
  const { groups, places } = parts;
  const { spec, logFile } = record;
  await bundleOf(parts, place, record);
  makeFolder(dirname(dirname(logFile)), LOG_FOLDER);
  makeFolder(dirname(logFile), LOG_FOLDER);
  groups.make(places.podGroup(spec.pod.uid), {}, 'groups');
  groups.make(keeperGroup(place), {}, 'processes');
  const plan = keeperPlan(parts, place, record);
  return await withParts(plan.attempt, spec.mounts, () => createContainer(plan));
};

const refused = (error: unknown): unknown =>
  error instanceof StartRefusedError || !(error instanceof Error)
    ? error
    : new StartRefusedError('CreateContainerError', error.message);

/** The write before the program runs is the one that counts: after it this attempt is never made anew. */
const createAndStore = async (parts: OciParts, place: Place, record: OciRecord): Promise<void> => {
  writeRecord(place, record);
  try {
    const mark = markOf(await create(parts, place, record));
    if (!mark) throw new Error('the container ended before its program could run');
    writeStarted(place, { attempt: record.attempt, ...mark });
  } catch (error) {
    await discardAttempt(parts, place);
    throw refused(error);
  }
};

const runProgram = async ({ programs, ran }: OciParts, place: Place): Promise<void> => {
  await startProgram(programs.runtime, runtimeId(place));
  ran.add(place.id);
};

const startOnce = async (
  parts: OciParts,
  place: Place,
  spec: ContainerSpec,
  createdAt: EpochMs,
): Promise<void> => {
  const { starting } = parts;
  const found = await settle(parts, place);
  if (found && found.is !== 'created') return;
  starting.add(place.id);
  try {
    if (!found) {
      await endUnrecorded(parts, place);
      await createAndStore(parts, place, recordOf(parts, spec, createdAt));
    }
    await runProgram(parts, place);
  } finally {
    starting.delete(place.id);
  }
};

/** A container that runs or has ended is not started again; a call while another one starts it answers with that. */
export const startContainer = (
  parts: OciParts,
  place: Place,
  spec: ContainerSpec,
  createdAt: EpochMs,
): Promise<void> => {
  const { starts } = parts;
  const before = starts.get(place.id);
  if (before) return before;
  const work = startOnce(parts, place, spec, createdAt).finally(() => starts.delete(place.id));
  starts.set(place.id, work);
  return work;
};
