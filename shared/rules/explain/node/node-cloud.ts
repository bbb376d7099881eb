/** What has the cloud said of the machine of a node, and what follows from that? */
import type { Node } from '../../../kube/types/core.ts';
import { TAINT_SHUTDOWN } from '../../../kube/types/well-known.ts';
import { optional } from '../../../kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../kube/values/time.ts';
import { hasShutdownTaint } from '../../cloud/cloud-step.ts';
import { isUninitialised } from '../../cloud/initialise.ts';
import { providerIdOf } from '../../cloud/instance.ts';
import { MACHINE_ANNOTATION } from '../../cloud/machine-annotation.ts';
import { BY_CLOUD } from '../../cloud/notice-drain.ts';
import { nextDrainAt, pendingOf, SCHEDULED_ANNOTATION } from '../../cloud/scheduled-maintenance.ts';
import { machineDoubt, verifiedMachine } from '../../cloud/verified-machine.ts';
import type { DrainRequest } from '../../drain/drain-request.ts';
import { drainRequestOf } from '../../drain/node-drain.ts';
import { readyStatusOf } from '../../nodes/node-conditions.ts';
import { taintsOf } from '../../nodes/taints.ts';
import type { Answer, Change, Fact, Next, Verdict } from '../explanation.ts';

const shutdownFacts = (node: Node): readonly Fact[] => {
  if (!hasShutdownTaint(node)) return [];
  const taint = taintsOf(node).find(({ key }) => key === TAINT_SHUTDOWN);
  const at = parseTime(taint?.timeAdded ?? '');
  return [{ fact: 'ShutdownTaint', ...optional('at', at), source: 'spec.taints', rule: 'J-73' }];
};

const noticeOf = (node: Node): DrainRequest | undefined => {
  const request = drainRequestOf(node);
  return request?.by === BY_CLOUD ? request : undefined;
};

const noticeFacts = (node: Node): readonly Fact[] => {
  const notice = noticeOf(node);
  if (!notice) return [];
  const { requestedAt: at, reason, deadlineAt } = notice;
  const source = 'annotation rollcall.dev/drain';
  const told: Fact = { fact: 'CloudNotice', at, values: { reason }, source, rule: 'J-80' };
  const goes: Fact = { fact: 'MachineGoes', ...optional('at', deadlineAt), source, rule: 'J-80' };
  return deadlineAt === undefined ? [told] : [told, goes];
};

const announcedFacts = (node: Node): readonly Fact[] => {
  const source = `annotation ${SCHEDULED_ANNOTATION}`;
  return pendingOf(node).flatMap(({ drainAt, startsAt }): readonly Fact[] => [
    { fact: 'MaintenanceScheduled', ...optional('at', startsAt), source, rule: 'J-110' },
    { fact: 'DrainPlanned', at: drainAt, source, rule: 'J-110' },
  ]);
};

/** A sweep finds each minute what is due, and sends a message. */
const DUE_MS = 120_000;

const nextOf = (node: Node): Next | undefined => {
  const at = nextDrainAt(node);
  return at === undefined ? undefined : { verdict: 'MachineLeaves', at, withinMs: DUE_MS };
};

const machineFact = (node: Node, knownSince: EpochMs | undefined): Fact => {
  const machine = providerIdOf(node);
  if (knownSince === undefined)
    return { fact: 'MachineUnknown', values: { machine }, source: 'spec.providerID', rule: 'J-77' };
  const source = 'stored sighting of the machine';
  return { fact: 'MachineKnown', at: knownSince, values: { machine }, source, rule: 'J-77' };
};

/** What would be done to the machine if the node fell silent. */
const wordFact = (node: Node): Fact => {
  const doubt = machineDoubt(node);
  const values = { machine: doubt ? providerIdOf(node) : verifiedMachine(node) };
  return {
    fact: doubt ?? 'MachineVerified',
    values,
    source: `annotation ${MACHINE_ANNOTATION}`,
    rule: 'J-391',
  };
};

const verdictOf = (node: Node, knownSince: EpochMs | undefined): Verdict => {
  if (isUninitialised(node)) return 'AwaitsCloud';
  if (hasShutdownTaint(node)) return 'MachineStopped';
  if (noticeOf(node)) return 'MachineLeaves';
  if (nextDrainAt(node) !== undefined) return 'MaintenanceAhead';
  return knownSince === undefined ? 'CloudSilent' : 'MachineRuns';
};

/** What each word of the cloud would do. A ready Node is believed more than a cloud that does not find its machine. */
const changesOf = (node: Node): readonly Change[] => [
  'MachineTerminated',
  ...(readyStatusOf(node) === 'True' ? [] : (['MachineMissing'] as const)),
  ...(hasShutdownTaint(node) ? (['ReadyCondition'] as const) : (['MachineStopped'] as const)),
  ...(noticeOf(node) ? (['Cordon'] as const) : (['CloudNotice'] as const)),
];

/**
 * Explains what the cloud has said of the machine of a node; `undefined` for a node that belongs to no cloud. `knownSince`: the stored instant (ms)
 * since which the cloud speaks of this Node's machine.
 */
export const explainCloud = (node: Node, knownSince: EpochMs | undefined): Answer | undefined => {
  const isNew = isUninitialised(node);
  if (providerIdOf(node) === '' && !isNew) return undefined;
  const waits: Fact = { fact: 'Uninitialized', source: 'spec.taints', rule: 'J-74' };
  const told = [...shutdownFacts(node), ...noticeFacts(node), ...announcedFacts(node)];
  return {
    question: 'cloud',
    verdict: verdictOf(node, knownSince),
    ...optional('since', [...shutdownFacts(node), ...noticeFacts(node)][0]?.at),
    because: [
      ...(isNew ? [waits] : []),
      ...told,
      ...(providerIdOf(node) === '' ? [] : [machineFact(node, knownSince), wordFact(node)]),
    ],
    ...optional('next', nextOf(node)),
    wouldChange: [...(isNew ? (['CloudAnswers'] as const) : []), ...changesOf(node)],
  };
};
