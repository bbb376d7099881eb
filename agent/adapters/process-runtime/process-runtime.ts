/** A runtime whose containers are process trees of the machine, each in a control group of its own. */
import { mkdirSync, rmdirSync } from 'node:fs';
import type { EpochMs } from '../../../shared/api/time.ts';
import type { RuntimeContainer } from '../../domain/containers/runtime-status.ts';
import { containerKey, isSafeName } from '../../domain/runtime/container-id.ts';
import type { LogBounds } from '../../domain/runtime/log-rotation.ts';
import type { ContainerSpec, Runtime, RuntimePod, SandboxSpec } from '../../ports/runtime.ts';
import { createControlGroups } from './control-groups.ts';
import { describe } from './describe.ts';
import { createEndWatch, type EndWatch } from './end-watch.ts';
import { execIn } from './exec.ts';
import { createFolder, discardFolder } from './files.ts';
import { removeLog, rotateLog } from './logs.ts';
import { surroundingsOf } from './plan-start.ts';
import { readBootId } from './processes.ts';
import {
  createPlaces,
  logPlace,
  type Place,
  type PodRecord,
  readContainer,
  readPod,
  writePod,
} from './records.ts';
import { cleanUp, type Machine, settle } from './settle.ts';
import { startContainer, writableLayer } from './start.ts';
import { stopContainer } from './stop.ts';
import { findTools, type MachineTools } from './tools.ts';

/** Where the runtime keeps what, and how often it looks. */
export interface ProcessRuntimeOptions {
  /** Folder of the runtime alone; only root can read it. */
  readonly root: string;
  /** Control group of all pods; begins with `/`. */
  readonly podsCgroup: string;
  readonly version: string;
  readonly now: () => EpochMs;
  readonly logs: LogBounds;
  /** How often logs are measured (ms). Kubelet: `containerLogMonitorInterval`. */
  readonly logPeriodMs: number;
  /** How often it looks for ends that nobody told (ms). */
  readonly sweepPeriodMs: number;
  /** Hears of what failed in the background. */
  readonly report: (error: unknown) => void;
  /** Holds `proc/self/mountinfo` and `sys` by which control groups are found; `/` outside of tests. */
  readonly systemRoot?: string;
}

/** The runtime, and what ends its work in the background. Containers run on. */
export interface ProcessRuntime extends Runtime {
  close(): void;
}

interface Parts {
  readonly options: ProcessRuntimeOptions;
  readonly machine: Machine;
  readonly tools: MachineTools;
  readonly ends: EndWatch;
  /** Containers that have ended do not change any more. */
  readonly ended: Map<string, RuntimeContainer>;
}

const placeOf = ({ machine }: Parts, id: string): Place | undefined => {
  const key = containerKey(id);
  return key && machine.places.container(key);
};

const look = async (parts: Parts, place: Place): Promise<RuntimeContainer | undefined> => {
  const known = parts.ended.get(place.id);
  if (known) return known;
  const found = await settle(parts.machine, place);
  const record = readContainer(place);
  if (!found || !record) return undefined;
  const container = describe(place, record, found);
  if (container.state === 'exited') parts.ended.set(place.id, container);
  else parts.ends.add(place);
  return container;
};

const isSandboxWhole = ({ machine }: Parts, uid: string, { bootId }: PodRecord): boolean =>
  bootId === machine.bootId && machine.groups.exists(machine.places.podGroup(uid));

const measured = (places: readonly Place[], containers: readonly RuntimeContainer[]) => {
  const running = new Set(containers.filter(({ state }) => state === 'running').map(({ id }) => id));
  return places
    .filter(({ id }) => running.has(id))
    .flatMap((place) => {
      const record = readContainer(place);
      if (!record) return [];
      const rootfs = writableLayer(record.spec);
      return [
        {
          name: place.key.name,
          cgroup: place.group,
          logs: logPlace(record).folder,
          ...(rootfs !== undefined && { rootfs }),
        },
      ];
    });
};

const readRuntimePod = async (parts: Parts, uid: string): Promise<RuntimePod | undefined> => {
  const { places } = parts.machine;
  const record = readPod(places.podFolder(uid));
  if (!record) return undefined;
  const all = places.containers(uid);
  const containers: RuntimeContainer[] = [];
  for (const place of all) {
    const container = await look(parts, place);
    if (container) containers.push(container);
  }
  return {
    pod: record.spec.pod,
    ...(isSandboxWhole(parts, uid, record) && { sandboxCreatedAt: record.createdAt }),
    containers,
    measure: { cgroup: places.podGroup(uid), containers: measured(all, containers) },
  };
};

const createSandbox = async (parts: Parts, spec: SandboxSpec): Promise<void> => {
  const { uid } = spec.pod;
  if (!isSafeName(uid)) throw new Error(`the uid "${uid}" of a pod cannot be the name of a folder`);
  const { places, groups, bootId } = parts.machine;
  const folder = places.podFolder(uid);
  const known = readPod(folder);
  if (known && isSandboxWhole(parts, uid, known)) return;
  groups.make(places.podGroup(uid), spec.bounds, 'groups');
  mkdirSync(spec.logFolder, { recursive: true, mode: 0o755 });
  const record: PodRecord = { spec, createdAt: parts.options.now(), bootId };
  if (known) writePod(folder, record);
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
    await startContainer(machine, tools, place, spec, options.now());
  } finally {
    if (readContainer(place)) ends.add(place);
  }
  return place.id;
};

const removeFolderIfEmpty = (folder: string): void => {
  try {
    rmdirSync(folder);
  } catch {
    // Somebody else keeps something there, or it is gone.
  }
};

const remove = async (parts: Parts, place: Place): Promise<void> => {
  const { machine, ends, ended } = parts;
  await stopContainer(machine, place, 0);
  const record = readContainer(place);
  if (record) {
    removeLog(logPlace(record));
    removeFolderIfEmpty(logPlace(record).folder);
  }
  ends.drop(place);
  discardFolder(place.folder, machine.places.trash);
  machine.groups.remove(place.group);
  ended.delete(place.id);
  machine.reaped.delete(place.id);
};

const removePod = async (parts: Parts, uid: string): Promise<void> => {
  if (!isSafeName(uid)) return;
  const { places, groups } = parts.machine;
  for (const place of places.containers(uid)) await remove(parts, place);
  await groups.kill(places.shimGroup(uid));
  const record = readPod(places.podFolder(uid));
  discardFolder(places.podFolder(uid), places.trash);
  groups.remove(places.podGroup(uid));
  if (record) removeFolderIfEmpty(record.spec.logFolder);
};

const exec = async (
  parts: Parts,
  id: string,
  command: readonly string[],
  timeoutMs: number,
): ReturnType<Runtime['exec']> => {
  const { machine, tools } = parts;
  const place = placeOf(parts, id);
  const found = place && (await settle(machine, place));
  const record = place && readContainer(place);
  if (!record || found?.state !== 'running' || !found.main) throw new Error(`container ${id} is not running`);
  const { spec, hasNamespaces } = record;
  const pod = readPod(machine.places.podFolder(place.key.podUid));
  const plan = {
    ...surroundingsOf(spec, pod?.spec.hostname ?? ''),
    pid: found.main.pid,
    hasNamespaces,
    groupFiles: machine.groups.files(place.group, place.group).container,
    oomScoreAdjust: spec.oomScoreAdjust,
    tools: tools.tools,
  };
  return execIn(plan, command, timeoutMs);
};

const rotateLogs = async ({ machine, options, tools }: Parts): Promise<void> => {
  const { fallocate } = tools;
  if (fallocate === undefined) return;
  for (const uid of machine.places.podUids())
    for (const place of machine.places.containers(uid)) {
      const record = readContainer(place);
      if (record) await rotateLog(logPlace(record), options.logs, fallocate).catch(options.report);
    }
};

/** Repeats work; a round begins when the one before it is over. */
const every = (ms: number, work: () => Promise<void>, report: (error: unknown) => void): (() => void) => {
  let isBusy = false;
  const timer = setInterval(() => {
    if (isBusy) return;
    isBusy = true;
    void work()
      .catch(report)
      .finally(() => {
        isBusy = false;
      });
  }, ms);
  timer.unref();
  return () => clearInterval(timer);
};

const prepare = async (options: ProcessRuntimeOptions): Promise<Parts> => {
  mkdirSync(options.root, { recursive: true, mode: 0o700 });
  const tools = await findTools(options.root);
  const machine: Machine = {
    places: createPlaces(options.root, options.podsCgroup),
    groups: createControlGroups(options.podsCgroup, options.systemRoot),
    bootId: readBootId(),
    starting: new Set(),
    reaped: new Set(),
  };
  await cleanUp(machine, options.podsCgroup);
  const ends = createEndWatch(async (place) => {
    const found = await settle(machine, place);
    return !found || found.state === 'exited';
  }, options.report);
  return { options, machine, tools, ends, ended: new Map() };
};

/** Takes up what runs already. Rejects if this machine cannot run containers. One agent at a time may use `root`. */
export const createProcessRuntime = async (options: ProcessRuntimeOptions): Promise<ProcessRuntime> => {
  const parts = await prepare(options);
  const { machine, tools, ends } = parts;
  const stops = [
    every(options.sweepPeriodMs, () => ends.sweep(), options.report),
    every(options.logPeriodMs, () => rotateLogs(parts), options.report),
  ];
  return {
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
    createSandbox: (spec) => createSandbox(parts, spec),
    startContainer: (spec) => start(parts, spec),
    stopContainer: async (id, timeoutSeconds) => {
      const place = placeOf(parts, id);
      if (place) await stopContainer(machine, place, timeoutSeconds);
    },
    removeContainer: async (id) => {
      const place = placeOf(parts, id);
      if (place) await remove(parts, place);
    },
    removePod: (uid) => removePod(parts, uid),
    exec: (id, command, timeoutMs) => exec(parts, id, command, timeoutMs),
    onChange: (callback) => ends.onEnd(callback),
    close: () => {
      for (const stop of stops) stop();
      ends.close();
    },
  };
};
