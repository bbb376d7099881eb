/** What a command in a running container needs. */
import { containerKey } from '../../../rules/runtime/container-id.ts';
import type { ExecPlan } from '../../../rules/runtime/enter-script.ts';
import type { Parts } from '../lifecycle/parts.ts';
import { surroundingsOf } from '../lifecycle/plan-start.ts';
import { settle } from '../lifecycle/settle.ts';
import { type Place, readContainer, readPod } from '../processes/records.ts';

/** `undefined`: the id is not of this runtime. */
export const placeOf = ({ machine }: Pick<Parts, 'machine'>, id: string): Place | undefined => {
  const key = containerKey(id);
  return key && machine.places.container(key);
};

/** Rejects if the container does not run. */
export const execPlan = async ({ machine, tools }: Parts, id: string): Promise<ExecPlan> => {
  const place = placeOf({ machine }, id);
  const found = place && (await settle(machine, place));
  const record = place && readContainer(place);
  if (!record || found?.state !== 'running' || !found.main) throw new Error(`container ${id} is not running`);
  const { spec, hasNamespaces } = record;
  const pod = readPod(machine.places.podFolder(place.key.podUid));
  return {
    ...surroundingsOf(spec, pod?.spec.hostname ?? '', tools),
    pid: found.main.pid,
    hasNamespaces,
    groupFiles: machine.groups.files(place.group, place.group).container,
    oomScoreAdjust: spec.oomScoreAdjust,
    tools: tools.tools,
  };
};
