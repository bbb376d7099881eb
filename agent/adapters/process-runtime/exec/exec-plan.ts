/** What a command in a running container needs. */
import { stat } from 'node:fs/promises';
import { setTimeout as wait } from 'node:timers/promises';
import { containerKey } from '../../../rules/runtime/container-id.ts';
import type { ExecPlan } from '../../../rules/runtime/enter-script.ts';
import type { Place } from '../../containers/places.ts';
import { readPod } from '../../containers/pod-record.ts';
import type { Parts } from '../lifecycle/parts.ts';
import { surroundingsOf } from '../lifecycle/plan-start.ts';
import { settle } from '../lifecycle/settle.ts';
import { readContainer } from '../processes/records.ts';

/** `undefined`: the id is not of this runtime. */
export const placeOf = ({ machine }: Pick<Parts, 'machine'>, id: string): Place | undefined => {
  const key = containerKey(id);
  return key && machine.places.container(key);
};

/** How long a process that becomes the program may take to leave the root of the machine (ms), and how often that is looked at. */
const BECOMES_MS = 30_000;
const LOOK_MS = 20;

const notRunning = (id: string): Error => new Error(`container ${id} is not running`);

const isInMachineRoot = async (id: string, pid: number): Promise<boolean> => {
  const own = await stat(`/proc/${pid}/root/.`).catch(() => {
    throw notRunning(id);
  });
  const machine = await stat('/');
  return own.dev === machine.dev && own.ino === machine.ino;
};

/**
 * A container counts as running just before its process becomes the program. Until that is in the root of the container, who follows it
 * gets into the root of the machine.
 */
const awaitRoot = async (id: string, pid: number): Promise<void> => {
  for (let waited = 0; await isInMachineRoot(id, pid); waited += LOOK_MS) {
    if (waited >= BECOMES_MS) throw new Error(`container ${id} is still being started`);
    await wait(LOOK_MS);
  }
};

/** Rejects if the container does not run. */
export const execPlan = async ({ machine, tools }: Parts, id: string): Promise<ExecPlan> => {
  const place = placeOf({ machine }, id);
  const found = place && (await settle(machine, place));
  const record = place && readContainer(place);
  if (!record || found?.state !== 'running' || !found.main) throw notRunning(id);
  const { spec, hasNamespaces } = record;
  const pod = readPod(machine.places.podFolder(place.key.podUid));
  const surroundings = surroundingsOf(spec, pod?.spec.hostname ?? '', tools);
  if (surroundings.root !== undefined) await awaitRoot(id, found.main.pid);
  return {
    ...surroundings,
    pid: found.main.pid,
    hasNamespaces,
    groupFiles: machine.groups.files(place.group, place.group).container,
    oomScoreAdjust: spec.oomScoreAdjust,
    tools: tools.tools,
  };
};
