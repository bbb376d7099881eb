/** What follows from a cordon, from its end, and from taints, in sentences. */

import { printable } from '../../kube/text/printable.ts';
import type { Node, Taint } from '../../kube/types/core.ts';
import { controllerOf } from '../../kube/values/controller-of.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { drainRequestOf } from '../drain/node-drain.ts';
import { maintenanceNameOf, maintenanceOf } from '../drain/node-in-maintenance.ts';
import { isOutOfService } from '../nodes/out-of-service.ts';
import { sameTaint, taintsOf } from '../nodes/taints.ts';
import { podEvictions } from '../roll-call/pod-evictions.ts';
import { taintText } from '../roll-call/taint-text.ts';
import { isActive } from '../workloads/children/pod-state.ts';
import { countsText, namedText, podsText, podsThat } from './counted.ts';
import type { NodeWithPods } from './fates-by-drain.ts';
import type { PodFate } from './pod-fate.ts';
import { podPath } from './pod-path.ts';

/** A cordon. `isDrain`: the Node has a request for a drain that counts as soon as it is cordoned (E-13). */
export const cordonSentences = (
  { node, pods }: NodeWithPods,
  isDrain: boolean,
  now: EpochMs,
): readonly string[] => {
  const first =
    'No new pod is placed on it, except pods that tolerate the taint unschedulable, as those of DaemonSets do.';
  if (isDrain)
    return [first, 'Its annotation rollcall.dev/drain asks for a drain, which begins with the cordon.'];
  const going = podEvictions(pods, node, undefined, now).length;
  const here = pods.filter(isActive).length;
  return [
    first,
    here === 0 ? 'It has no pods.' : `A cordon moves no pod: ${podsThat(here, 'stays', 'stay')} here.`,
    ...(going === 0 ? [] : [`Because of its taints ${podsThat(going, 'leaves', 'leave')} all the same.`]),
  ];
};

/** The taints that keep new pods away. */
export const keepersOf = (node: Node): readonly string[] =>
  taintsOf(node)
    .filter(({ effect }) => effect !== 'PreferNoSchedule')
    .map(taintText);

/** The end of a cordon. */
export const uncordonSentences = (before: Node, after: Node): readonly string[] => {
  const keepers = keepersOf(after);
  const request = drainRequestOf(before);
  const record = maintenanceOf(before);
  const maintenance = record?.phase === 'InProgress' ? maintenanceNameOf(record) : undefined;
  return [
    keepers.length === 0
      ? 'New pods may be placed on it again.'
      : `The cordon ends, but taints still keep new pods away: ${namedText(keepers)}.`,
    ...(request
      ? [
          `The drain that ${printable(request.by)} has asked for is taken back. Pods that have not been told to go stay; those that have gone do not come back by themselves.`,
        ]
      : []),
    ...(maintenance === undefined
      ? []
      : [`The NodeMaintenance ${printable(maintenance)} counts this node as failed.`]),
  ];
};

const EFFECTS: Readonly<Record<Taint['effect'], string>> = {
  NoSchedule: 'No new pod is placed on it unless it tolerates the taint. The pods that are here stay.',
  PreferNoSchedule: 'New pods are placed elsewhere if they can be. The pods that are here stay.',
  NoExecute:
    'No new pod is placed on it unless it tolerates the taint, and pods that do not tolerate it leave.',
};

const goneForGood = (pods: readonly PodFate[], { pods: all }: NodeWithPods): readonly string[] => {
  const bare = new Set(
    all.filter((pod) => controllerOf(pod) === undefined).map(({ metadata }) => podPath(metadata)),
  );
  const lost = pods
    .filter(({ fate }) => fate === 'goes' || fate === 'later')
    .map(podPath)
    .filter((name) => bare.has(name));
  return lost.length === 0
    ? []
    : [`${podsText(lost.length)} without a controller, which nobody makes again: ${namedText(lost)}.`];
};

interface Told {
  readonly sentences: readonly string[];
  readonly warnings: readonly string[];
}

/** A taint, with the fates of the pods if it is NoExecute. */
export const taintSentences = (known: NodeWithPods, taint: Taint, pods: readonly PodFate[]): Told => {
  const present = taintsOf(known.node).find((one) => sameTaint(one, taint));
  const replaced = present ? [`It takes the place of ${taintText(present)}.`] : [];
  const isEvicting = taint.effect === 'NoExecute';
  const noBudget = pods.some(({ fate }) => fate === 'goes' || fate === 'later')
    ? ['Taints ask no PodDisruptionBudget. A drain does.']
    : [];
  return {
    sentences: [...replaced, EFFECTS[taint.effect], ...(isEvicting ? [countsText(pods)] : [])],
    warnings: [...noBudget, ...goneForGood(pods, known)],
  };
};

const volumesOf = ({ status }: Node): readonly string[] => {
  const attached = status?.['volumesAttached'];
  if (!Array.isArray(attached)) return [];
  return attached.map(({ name }: { readonly name?: string }) => printable(String(name)));
};

const setsOf = ({ pods }: NodeWithPods): readonly string[] =>
  pods
    .filter((pod) => controllerOf(pod)?.kind === 'StatefulSet')
    .map(({ metadata }) => printable(podPath(metadata)));

/** The taint `out-of-service`: who is not waited for any more. */
export const outOfServiceSentences = (known: NodeWithPods, pods: readonly PodFate[]): Told => {
  const volumes = volumesOf(known.node);
  const sets = setsOf(known);
  return {
    sentences: [
      'Pods that do not tolerate the taint are deleted, and removed without the word of the node that they have stopped.',
      countsText(pods),
      ...(sets.length === 0
        ? []
        : [`Pods of StatefulSets get their successors on other nodes: ${namedText(sets)}.`]),
      volumes.length === 0
        ? 'No volume is attached to it.'
        : `Volumes that no pod wants here any more leave at once, without the word of the node that they are unmounted: ${namedText(volumes)}.`,
      'The taint stays until somebody takes it off. Do that when the machine is back.',
    ],
    warnings: [
      'Set this only if you know that the machine is off: from its power supply, its console or its cloud. Rollcall does not check it. If the machine still runs, pods run twice, and two machines write to one volume.',
      ...(isOutOfService(known.node) ? ['It has the taint already, with another value or effect.'] : []),
      ...goneForGood(pods, known),
    ],
  };
};
