/** What the control plane can explain of a refusal. */
import { optional } from '../../../shared/kube/values/optional.ts';
import type { ToldHint, ToldResource, TopologyNote } from '../../../shared/rules/pods/topology-note.ts';
import { cpuSetText } from '../config/cpu-set.ts';
import type { TopologyDecision } from './admit-pod.ts';
import type { TopologyHint } from './hint.ts';
import { mergeHints } from './merge-hints.ts';
import { nodesOf } from './numa-mask.ts';
import type { TopologySetup } from './policy-options.ts';

/** How many hints of a resource are told. */
const MOST_HINTS = 4;

const told = ({ affinity, isPreferred }: TopologyHint): ToldHint => ({
  ...optional('nodes', affinity === undefined ? undefined : cpuSetText(nodesOf(affinity))),
  isPreferred,
});

const toldResource = (resource: string, hints: readonly TopologyHint[] | undefined): ToldResource => {
  const preferredFirst = hints?.toSorted((a, b) => Number(b.isPreferred) - Number(a.isPreferred));
  const more = (hints?.length ?? 0) - MOST_HINTS;
  return {
    resource,
    ...optional('hints', preferredFirst?.slice(0, MOST_HINTS).map(told)),
    ...optional('more', more > 0 ? more : undefined),
  };
};

/** Of the container that was not admitted, or of the pod as a whole; `undefined` if none was refused. */
export const refusalNote = (
  { policy, numa }: TopologySetup,
  decisions: readonly TopologyDecision[],
): TopologyNote | undefined => {
  const refused = decisions.find(({ isAdmitted }) => !isAdmitted);
  if (!refused) return undefined;
  const { container, asked, hint } = refused;
  return {
    ...optional('container', container),
    policy,
    resources: asked
      .flatMap((resources) => Object.entries(resources ?? {}))
      .map(([resource, hints]) => toldResource(resource, hints)),
    merged: told(hint),
    bestEffort: told(mergeHints('best-effort', numa, asked).hint),
  };
};
