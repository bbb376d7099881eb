/** A runtime whose containers are OCI bundles, each with a keeper of its own. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { createLane } from '../../lane.ts';
import type { ContainerStreams } from '../../ports/machine/container-streams.ts';
import type { Runtime } from '../../ports/machine/runtime.ts';
import type { Trash } from '../../ports/machine/trash.ts';
import { containerKey, isSafeName } from '../../rules/containers/container-id.ts';
import type { SeccompSettings } from '../../rules/cri/security-context.ts';
import type { LogBounds } from '../../rules/logs/log-bounds.ts';
import type { RuntimeCondition } from '../../rules/node/runtime-state.ts';
import type { AgentFacts } from '../../rules/oci/config.ts';
import { NOT_ROOT } from '../../rules/pods/rootless-refusals.ts';
import type { SteadyMs } from '../../rules/stats/summary.ts';
import { createEndWatch } from '../containers/end-watch.ts';
import { createPlaces, type Place } from '../containers/places.ts';
import { every } from '../every.ts';
import { makeFolder, PRIVATE_FOLDER } from '../linux/closed-folder.ts';
import type { ControlGroups } from '../linux/groups/control-groups.ts';
import { readBootId } from '../linux/processes.ts';
import { exitFile } from './bundles/conmon.ts';
import { cleanUp } from './containers/clean-up.ts';
import { runtimeId } from './containers/names.ts';
import type { OciParts, Programs } from './containers/parts.ts';
import { attemptFolder, readRecord } from './containers/records.ts';
import { removeContainer, removeFolderIfEmpty, removePod } from './containers/remove.ts';
import { LOOKS_AT_ONCE, readRuntimePod } from './containers/runtime-pods.ts';
import { createSandbox, latestOf } from './containers/sandboxes.ts';
import { settle } from './containers/settle.ts';
import { startContainer } from './containers/start.ts';
import { stopContainer } from './containers/stop.ts';
import type { ProgramsCheck } from './programs-check.ts';
import { execIn } from './streams/exec.ts';
import { rotateLogs } from './streams/keeper-control.ts';
import { createOciStreams } from './streams/streams.ts';

/** Where the runtime keeps what, and how often it looks. */
export interface OciRuntimeOptions {
  /** Folder of the runtime alone; only root can read it. */
  readonly root: string;
  /** Control group of all pods; begins with `/`. */
  readonly podsCgroup: string;
  readonly groups: ControlGroups;
  readonly programs: Programs;
  readonly agent: AgentFacts;
  readonly seccomp: SeccompSettings;
  readonly hostImagePaths: readonly string[];
  /** Folders that may be images of containers, or have images below them. */
  readonly imageFolders: readonly string[];
  /** Folders of the agent, of which no image may show anything. */
  readonly privateFolders: readonly string[];
  readonly trash: Trash;
  /** Of the runtime: `runc` or `crun`. */
  readonly name: string;
  readonly check: ProgramsCheck;
  readonly now: () => EpochMs;
  readonly uptime: () => SteadyMs;
  readonly logs: LogBounds;
  /** How often logs are measured (ms). Kubelet: `containerLogMonitorInterval`. */
  readonly logPeriodMs: number;
  /** How often it looks for ends that nobody told (ms). */
  readonly sweepPeriodMs: number;
  /** Hears of what failed in the background. */
  readonly report: (error: unknown) => void;
}

/** Containers have the network of the machine. */
const conditionsOf = (fault: string | undefined): readonly RuntimeCondition[] => {
  const ready = { status: true, reason: '', message: '' };
  const lost = { status: false, reason: 'RuntimeNotWorking', message: fault ?? '' };
  return [
    { type: 'RuntimeReady', ...(fault === undefined ? ready : lost) },
    { type: 'NetworkReady', ...ready },
  ];
};

/** The runtime, and what ends its work in the background. Containers run on. */
export interface OciRuntime extends Runtime {
  readonly streams: ContainerStreams;
  close(): void;
}

const endFileOf = (place: Place): string => {
  const record = readRecord(place);
  return exitFile(record ? attemptFolder(place, record) : place.folder, runtimeId(place));
};

const partsOf = (options: OciRuntimeOptions): OciParts => {
  const parts: OciParts = {
    ...options,
    places: createPlaces(options.root, options.podsCgroup, options.name),
    bootId: readBootId(),
    starting: new Set(),
    starts: new Map(),
    ran: new Set(),
    running: new Map(),
    looks: createLane(LOOKS_AT_ONCE),
    reaped: new Set(),
    turns: new Map(),
    alone: new Map(),
    ended: new Map(),
    ends: createEndWatch(
      async (place) => {
        const found = await settle(parts, place);
        return !found || found.is === 'ended';
      },
      options.report,
      endFileOf,
    ),
  };
  return parts;
};

/** Takes up what runs already. One agent at a time may use `root`. */
export const createOciRuntime = async (options: OciRuntimeOptions): Promise<OciRuntime> => {
  makeFolder(options.root, PRIVATE_FOLDER);
  const parts = partsOf(options);
  await cleanUp(parts, options.podsCgroup);
  const { places, groups, ends } = parts;
  const placeOf = (id: string): Place | undefined => {
    const key = containerKey(id);
    return key && places.container(key);
  };
  const present = (id: string): Place => {
    const place = placeOf(id);
    if (place) return place;
    throw new Error(`container ${id} is not running`);
  };
  const stops = [
    every(options.sweepPeriodMs, () => ends.sweep(), options.report),
    every(options.logPeriodMs, () => rotateLogs(parts, placeOf, options.report), options.report),
  ];
  return {
    isolation: options.agent.rootless ? 'oci-rootless' : 'oci',
    facts: async () => ({ type: options.name, version: options.check.version(), handlers: [] }),
    conditions: async () => conditionsOf(await options.check.fault()),
    missing: () => (options.agent.rootless ? [NOT_ROOT] : groups.missing()),
    pods: async () => {
      const pods = await Promise.all(places.podUids().map((uid) => readRuntimePod(parts, uid)));
      return pods.filter((pod) => pod !== undefined);
    },
    pod: async (uid) => (isSafeName(uid) ? await readRuntimePod(parts, uid) : undefined),
    createSandbox: (spec) => createSandbox(parts, spec),
    startContainer: async (spec) => {
      if (!isSafeName(spec.name)) throw new Error(`the name "${spec.name}" cannot be the name of a folder`);
      const { pod, name, restartCount } = spec;
      const place = places.container({ podUid: pod.uid, name, restartCount });
      await startContainer(parts, place, spec, Math.max(options.now(), latestOf(parts, pod.uid)));
      ends.add(place);
      return place.id;
    },
    stopContainer: async (id, timeoutSeconds) => {
      const place = placeOf(id);
      if (place) await stopContainer(parts, place, timeoutSeconds);
    },
    removeContainer: async (id) => {
      const place = placeOf(id);
      if (place) await removeContainer(parts, place);
    },
    removePod: (uid) => removePod(parts, uid),
    bindContainer: async (id, cpus) => groups.bind(present(id).group, cpus),
    exec: (id, command, timeoutMs) => execIn(parts, present(id), command, timeoutMs),
    onChange: (callback) => ends.onEnd(callback),
    streams: createOciStreams(parts, placeOf),
    close: () => {
      for (const stop of stops) stop();
      ends.close();
      // An agent that may not join, or whose Node was deleted, leaves nothing.
      if (places.podUids().length > 0) return;
      groups.remove(options.podsCgroup);
      removeFolderIfEmpty(options.programs.runtime.stateFolder);
    },
  };
};
