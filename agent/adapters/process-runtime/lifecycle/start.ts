/** Starts containers: reserve the folder, start the shim, wait until the program runs. */
import { spawn } from 'node:child_process';
import { chmodSync, existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { ContainerSpec } from '../../../ports/machine/runtime.ts';
import { DEFAULT_PATH } from '../../../rules/machine/default-path.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import { endIn } from '../../linux/bounded-file.ts';
import { LOG_FOLDER, makeFolder } from '../../linux/closed-folder.ts';
import { waitForFile } from '../../linux/wait-for-file.ts';
import { createFolder } from '../../linux/whole-files.ts';
import { type ContainerRecord, findContainer } from '../processes/records.ts';
import type { MachineTools } from '../processes/tools.ts';
import { MESSAGE_FILE, planStart, startFiles } from './plan-start.ts';
import { MARKER, type Machine } from './settle.ts';

/** How long mounts and namespaces may take (ms). */
const START_MS = 30_000;

const reserve = (
  { places, groups }: Machine,
  machine: MachineTools,
  place: Place,
  spec: ContainerSpec,
  createdAt: EpochMs,
): void => {
  const uid = spec.pod.uid;
  const pod = readPod(places.podFolder(uid));
  if (!pod) throw new Error(`the pod ${uid} has no sandbox`);
  const logFile = join(pod.spec.logFolder, spec.name, `${spec.restartCount}.log`);
  makeFolder(pod.spec.logFolder, LOG_FOLDER);
  makeFolder(dirname(logFile), LOG_FOLDER);
  groups.make(places.shimGroup(uid), {}, 'processes');
  groups.make(place.group, spec.bounds, 'processes');
  const plan = planStart(spec, machine, {
    folder: place.folder,
    logFile,
    hostname: pod.spec.hostname,
    groups: groups.files(place.group, places.shimGroup(uid)),
  });
  const record: ContainerRecord = { spec, createdAt, logFile, hasNamespaces: plan.namespaces !== undefined };
  createFolder(place.folder, { 'spec.json': JSON.stringify(record), ...startFiles(plan) });
  // Whatever its user is, the container may write its message. The folder itself stays closed.
  chmodSync(join(place.folder, MESSAGE_FILE), 0o666);
};

/** The shim outlives the agent: it has a session of its own and shares no file with it. */
const startShim = ({ folder }: Place, { tools }: MachineTools): Promise<void> =>
  new Promise((resolve, reject) => {
    const child = spawn(tools.sh, [join(folder, 'shim.sh')], {
      cwd: '/',
      detached: true,
      stdio: 'ignore',
      env: { PATH: DEFAULT_PATH, [MARKER]: folder },
    });
    child.once('error', reject);
    child.once('spawn', () => {
      child.unref();
      resolve();
    });
  });

/** Bytes. The programs of an image may have said it. */
const MOST_ERROR = 4096;

/** What the scripts said before the program could run. */
const startError = async ({ folder }: Place): Promise<string> => {
  const text = (await endIn(join(folder, 'start-error'), MOST_ERROR))?.trim();
  return text === undefined || text === '' ? 'the container could not be started' : text;
};

/** A shim that is killed says nothing, so it is looked at now and then. */
const LOOK_MS = 500;

const confirm = async (machine: Machine, place: Place): Promise<void> => {
  const until = performance.now() + START_MS;
  while (performance.now() < until) {
    await waitForFile(place.folder, ['main', 'exit'], LOOK_MS);
    const { main, exit, state } = findContainer(place, machine.bootId);
    if (main) return;
    if (exit) throw new Error(await startError(place));
    if (state === 'lost') throw new Error('the shim was killed while it started the container');
  }
  throw new Error(`the container did not start within ${START_MS} ms`);
};

/** Starts a container, unless it has been started. Rejects with what the machine says. */
export const startContainer = async (
  machine: Machine,
  tools: MachineTools,
  place: Place,
  spec: ContainerSpec,
  createdAt: EpochMs,
): Promise<void> => {
  machine.starting.add(place.id);
  try {
    if (!existsSync(place.folder)) {
      // Somebody may have removed the folder of one that runs.
      if (machine.groups.exists(place.group)) await machine.groups.kill(place.group);
      reserve(machine, tools, place, spec, createdAt);
    }
    if (findContainer(place, machine.bootId).state === 'reserved') await startShim(place, tools);
    await confirm(machine, place);
  } finally {
    machine.starting.delete(place.id);
  }
};
