/** A runtime whose containers are process trees of the machine, each in a control group of its own. */
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { ContainerStreams } from '../../ports/machine/container-streams.ts';
import type { ContainerSpec, Runtime, RuntimePod, SandboxSpec } from '../../ports/machine/runtime.ts';
import { isSafeName } from '../../rules/runtime/container-id.ts';
import { createEndWatch } from '../containers/end-watch.ts';
import { createPlaces, type Place } from '../containers/places.ts';
import { type PodRecord, readPod, writePod } from '../containers/pod-record.ts';
import { every } from '../every.ts';
import { makeFolder, PRIVATE_FOLDER } from '../linux/closed-folder.ts';
import { createControlGroups } from '../linux/groups/control-groups.ts';
import { readBootId } from '../linux/processes.ts';
import { createFolder } from '../linux/whole-files.ts';
import { execIn } from './exec/exec.ts';
import { execPlan, placeOf } from './exec/exec-plan.ts';
import { createProcessStreams } from './exec/streams.ts';
import type { Parts, ProcessRuntimeOptions } from './lifecycle/parts.ts';
import { removeContainer, removePod } from './lifecycle/remove.ts';
import { type RunningContainers, seemsToRun, stillRunning } from './lifecycle/running.ts';
import { isSandboxWhole, readRuntimePod } from './lifecycle/runtime-pods.ts';
import { cleanUp, type Machine, settle } from './lifecycle/settle.ts';
import { startContainer } from './lifecycle/start.ts';
import { stopContainer } from './lifecycle/stop.ts';
import { createLineTimes, type LineTimes } from './logs/line-times.ts';
import { type LogPlace, rotateLog } from './logs/logs.ts';
import { logPlace, readContainer } from './processes/records.ts';
import { findTools } from './processes/tools.ts';

/** The runtime, and what ends its work in the background. Containers run on. */
export interface ProcessRuntime extends Runtime {
  readonly streams: ContainerStreams;
  close(): void;
}

/** How often it is noted when logs were written (ms). */
const NOTE_MS = 1_000;

/** The latest instant of the pod that is written down; 0: none is. */
const latestOf = ({ places }: Machine, uid: string): EpochMs => {
  const containers = places.containers(uid).map((place) => readContainer(place)?.createdAt ?? 0);
  return Math.max(readPod(places.podFolder(uid))?.createdAt ?? 0, ...containers);
};

const createSandbox = async (parts: Parts, spec: SandboxSpec): Promise<void> => {
  const { uid } = spec.pod;
  if (!isSafeName(uid)) throw new Error(`the uid "${uid}" of a pod cannot be the name of a folder`);
  const { places, groups, bootId } = parts.machine;
  const folder = places.podFolder(uid);
  const known = readPod(folder);
  if (known && isSandboxWhole(parts, uid, known)) return;
  groups.make(places.podGroup(uid), spec.bounds, 'groups');
  // Later than all that was started in the one before, whatever the clock says.
  const createdAt = Math.max(parts.options.now(), latestOf(parts.machine, uid) + 1);
  const record: PodRecord = { spec, createdAt, bootId };
  if (existsSync(folder)) writePod(folder, record);
  else createFolder(folder, { 'pod.json': JSON.stringify(record) });
};

const start = async (parts: Parts, spec: ContainerSpec): Promise<string> => {
  const { machine, tools, ends, options } = parts;
  if (!isSafeName(spec.name)) throw new Error(`the name "${spec.name}" cannot be the name of a folder`);
  const place = machine.places.container({
    podUid: spec.pod.uid,
    name: spec.name,
    restartCount: spec.restartCount,
  });
  try {
    const createdAt = Math.max(options.now(), latestOf(machine, spec.pod.uid));
    await startContainer(machine, tools, place, spec, createdAt);
  } finally {
    if (readContainer(place)) ends.add(place);
  }
  return place.id;
};

const exec = async (
  parts: Parts,
  id: string,
  command: readonly string[],
  timeoutMs: number,
): ReturnType<Runtime['exec']> => execIn(await execPlan(parts, id), command, timeoutMs);

const logOf = ({ running }: Parts, place: Place): LogPlace | undefined => {
  const known = running.get(place.id);
  if (known) return known.log;
  const record = readContainer(place);
  return record && logPlace(record);
};

const rotateLogs = async (parts: Parts, times: LineTimes): Promise<void> => {
  const { machine, options, tools } = parts;
  const { fallocate } = tools;
  if (fallocate === undefined) return;
  for (const uid of machine.places.podUids())
    for (const place of machine.places.containers(uid)) {
      const log = logOf(parts, place);
      if (!log) continue;
      await times.note(log).catch(options.report);
      await rotateLog(log, options.logs, fallocate).catch(options.report);
    }
};

/** Of the containers that run. Others are noted before they are rotated. */
const noteTimes = async ({ running, options }: Parts, times: LineTimes): Promise<void> => {
  const logs = [...running.values()].map(({ log }) => log);
  for (const log of logs) await times.note(log).catch(options.report);
  times.keep(new Set(logs.map(({ folder, name }) => join(folder, name))));
};

const prepare = async (options: ProcessRuntimeOptions): Promise<Parts> => {
  makeFolder(options.root, PRIVATE_FOLDER);
  const tools = await findTools(options.root);
  const machine: Machine = {
    places: createPlaces(options.root, options.podsCgroup),
    trash: options.trash,
    groups: createControlGroups(options.podsCgroup, options.systemRoot, options.bindsCpus),
    bootId: readBootId(),
    starting: new Set(),
    killing: new Set(),
    reaped: new Set(),
  };
  await cleanUp(machine, options.podsCgroup);
  const running: RunningContainers = new Map();
  const ends = createEndWatch(async (place, isToldOf) => {
    if (isToldOf ? stillRunning(running, place) : seemsToRun(running, place)) return false;
    const found = await settle(machine, place);
    return !found || found.state === 'exited';
  }, options.report);
  return { options, machine, tools, ends, ended: new Map(), running };
};

/** Takes up what runs already. Rejects if this machine cannot run containers. One agent at a time may use `root`. */
export const createProcessRuntime = async (options: ProcessRuntimeOptions): Promise<ProcessRuntime> => {
  const parts = await prepare(options);
  const { machine, tools, ends } = parts;
  const times = createLineTimes();
  const stops = [
    every(NOTE_MS, () => noteTimes(parts, times), options.report),
    every(options.sweepPeriodMs, () => ends.sweep(), options.report),
    every(options.logPeriodMs, () => rotateLogs(parts, times), options.report),
  ];
  return {
    isolation: 'processes',
    facts: async () => ({ type: 'process', version: options.version, handlers: [] }),
    missing: () => [...machine.groups.missing(), ...tools.problems],
    pods: async () => {
      const pods: RuntimePod[] = [];
      for (const uid of machine.places.podUids()) {
        const pod = await readRuntimePod(parts, uid);
        if (pod) pods.push(pod);
      }
      return pods;
    },
    pod: async (uid) => (isSafeName(uid) ? await readRuntimePod(parts, uid) : undefined),
    createSandbox: (spec) => createSandbox(parts, spec),
    startContainer: (spec) => start(parts, spec),
    stopContainer: async (id, timeoutSeconds) => {
      const place = placeOf(parts, id);
      if (place) await stopContainer(machine, place, timeoutSeconds);
    },
    removeContainer: async (id) => {
      const place = placeOf(parts, id);
      if (place) await removeContainer(parts, place);
    },
    removePod: (uid) => removePod(parts, uid),
    bindContainer: async (id, cpus) => {
      const place = placeOf(parts, id);
      if (place && machine.groups.exists(place.group)) machine.groups.bind(place.group, cpus);
    },
    exec: (id, command, timeoutMs) => exec(parts, id, command, timeoutMs),
    onChange: (callback) => ends.onEnd(callback),
    streams: createProcessStreams(parts),
    close: () => {
      for (const stop of stops) stop();
      ends.close();
      // An agent that may not join, or whose Node was deleted, leaves nothing.
      if (machine.places.podUids().length === 0) machine.groups.remove(options.podsCgroup);
    },
  };
};
