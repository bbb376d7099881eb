/** What Rollcall's rules decide in a cluster: each choice that chance may make. */
import { createPicture } from '../../lambdas/scheduler/picture/picture.ts';
import { slimNode, slimPod } from '../../lambdas/scheduler/picture/slim.ts';
import type { Pod } from '../../shared/kube/types/core.ts';
import type { ApiObject } from '../../shared/kube/types/meta.ts';
import type { Attempt, Misfit, Placement } from '../../shared/rules/scheduling/decide-placement.ts';
import { decidePlacement } from '../../shared/rules/scheduling/decide-placement.ts';
import { misfitMessage } from '../../shared/rules/scheduling/misfit-message.ts';
import { preempt } from '../../shared/rules/scheduling/preemption/preempt.ts';

/** Chances that are tried for preemption: it begins at any of up to six nodes. */
const CHANCES = Array.from({ length: 24 }, (_, index) => index / 24);

/** `nodes`: one of these; `victims`: by the node that is nominated; else the text of the condition. */
export type Expected =
  | { readonly nodes: readonly string[] }
  | { readonly victims: ReadonlyMap<string, readonly string[]> }
  | { readonly message: string };

const bestOf = ({ nodeName, scores }: Placement): readonly string[] => {
  const most = Math.max(...scores.map(({ total }) => total));
  const best = scores.filter(({ total }) => total === most).map((one) => one.nodeName);
  return best.length === 0 ? [nodeName] : best;
};

const isStaying = ({ metadata }: Pod): boolean => metadata.deletionTimestamp === undefined;

/** Victims that are leaving already are not deleted once more. */
const namesOf = (pods: readonly Pod[]): readonly string[] =>
  pods
    .filter(isStaying)
    .map(({ metadata }) => metadata.name)
    .toSorted();

const misfitOf = (
  pod: Pod,
  misfit: Misfit,
  attempt: Attempt,
  budgets: Parameters<typeof preempt>[3],
): Expected => {
  const victims = new Map<string, readonly string[]>();
  let message = misfitMessage(misfit);
  for (const chance of CHANCES) {
    const decision = preempt(pod, misfit, attempt, budgets, chance);
    if (decision && 'victims' in decision) victims.set(decision.nominatedNodeName, namesOf(decision.victims));
    else message = misfitMessage(misfit, decision?.message);
  }
  return victims.size > 0 ? { victims } : { message };
};

const slim = (object: ApiObject): ApiObject => {
  if (object.kind === 'Node') return slimNode(object);
  return object.kind === 'Pod' ? slimPod(object as Pod) : object;
};

export const expectedOf = (given: Pod, objects: readonly ApiObject[]): Expected => {
  const picture = createPicture();
  for (const object of objects) picture.apply({ after: slim(object) });
  const pod = slimPod(given);
  const attempt = { cluster: picture.cluster(), chance: 0, startAt: 0 };
  const found = decidePlacement(pod, attempt);
  return 'nodeName' in found ? { nodes: bestOf(found) } : misfitOf(pod, found, attempt, picture.budgets());
};
