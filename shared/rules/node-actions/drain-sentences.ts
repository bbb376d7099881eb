/** A drain in sentences: what it does, what holds it, what is lost by it. */

import { printable } from '../../kube/text/printable.ts';
import type { Node, Pod } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isCordoned } from '../drain/drain-annotations.ts';
import { drainStep, type Refusal } from '../drain/drain-pods.ts';
import { refusalTexts } from '../drain/drain-progress.ts';
import type { DrainRequest } from '../drain/drain-request.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { readyStatusOf } from '../nodes/node-conditions.ts';
import { spanText } from '../roll-call/units.ts';
import { countsText, namedText, podsText } from './counted.ts';
import type { NodeWithPods } from './fates-by-drain.ts';
import type { PodFate } from './pod-fate.ts';
import { podPath } from './pod-path.ts';

const nameOf = ({ metadata }: Pod): string => printable(podPath(metadata));

const untilText = ({ deadlineAt, deleteAt }: DrainRequest, now: EpochMs): readonly string[] => [
  ...(deleteAt === undefined || deleteAt <= now
    ? []
    : [`In ${spanText(deleteAt - now)} pods are deleted, whatever their budgets say.`]),
  deadlineAt === undefined
    ? 'It goes on until they are gone, also without this page. Uncordoning the node takes it back.'
    : `It gives up in ${spanText(Math.max(0, deadlineAt - now))}: what is left then stays, and the node stays cordoned. Uncordoning takes it back earlier.`,
];

/** What the drain does, with the fates of the pods. `node`: as it was before. */
export const drainSentences = (
  node: Node,
  request: DrainRequest,
  pods: readonly PodFate[],
  now: EpochMs,
): readonly string[] => {
  const present = drainRequestOf(node);
  return [
    isCordoned(node)
      ? 'It stays cordoned: no new pod is placed on it.'
      : 'It becomes cordoned: no new pod is placed on it.',
    ...(present
      ? [`It drains already, for ${printable(present.by)}: from now on it does what either request asks for.`]
      : []),
    countsText(pods),
    ...untilText(request, now),
  ];
};

/** The pods that only an option of the request lets go, by what is lost with them. */
const lostWith = (
  refusal: Refusal,
  pods: readonly Pod[],
  request: DrainRequest,
  now: EpochMs,
): readonly Pod[] => {
  const { force: _force, deleteEmptyDirData: _data, ...plain } = request;
  return pods.filter((pod) => {
    const [step, bare] = [drainStep(pod, request, now), drainStep(pod, plain, now)];
    return step.step !== 'refuse' && bare.step === 'refuse' && bare.refusals.includes(refusal);
  });
};

const lossText = (pods: readonly Pod[], what: string): readonly string[] =>
  pods.length === 0 ? [] : [`${podsText(pods.length)} ${what}: ${namedText(pods.map(nameOf))}.`];

/** What holds the drain, and what is lost by it. */
export const drainWarnings = (
  { node, pods }: NodeWithPods,
  request: DrainRequest,
  fates: readonly PodFate[],
  now: EpochMs,
): readonly string[] => {
  const waiting = fates.filter(({ fate }) => fate === 'held' || fate === 'inTurn').length;
  return [
    ...(readyStatusOf(node) === 'True'
      ? []
      : [
          'The node is not ready. If it does not answer, it cannot confirm that its pods have stopped, and the drain does not end: if its machine is off, set it out of service.',
        ]),
    ...(waiting > 0
      ? [`${podsText(waiting)} cannot go at once. The drain tries again as budgets allow it.`]
      : []),
    ...lossText(lostWith('unmanaged', pods, request, now), 'without a controller, which nobody makes again'),
    ...lossText(lostWith('localStorage', pods, request, now), 'with an emptyDir, whose data is lost'),
  ];
};

/** As the API would: why it refuses the whole drain, in kubectl's words. */
export const refusedByOptions = (
  { pods }: NodeWithPods,
  request: DrainRequest,
  now: EpochMs,
): readonly string[] => {
  const refused = pods.flatMap((pod) => {
    const step = drainStep(pod, request, now);
    return step.step === 'refuse' ? [{ pod: nameOf(pod), why: step.refusals }] : [];
  });
  return refusalTexts(refused).map((text) => `The API refuses this drain: ${text}.`);
};
