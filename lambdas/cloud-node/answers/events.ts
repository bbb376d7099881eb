/** The Events of cloud-node, worded as in Kubernetes. Source: kubernetes v1.34 cloud-provider controllers. */
import { type EpochMs, toTime } from '../../../shared/kube/values/time.ts';
import type { EventText } from '../../../shared/ports/process/event-recorder.ts';
import type { NoticeKind } from '../../../shared/rules/cloud/cloud-notice.ts';
import { noticeText } from '../../../shared/rules/cloud/notice-drain.ts';
import type { ScheduledMaintenance } from '../../../shared/rules/cloud/scheduled-maintenance.ts';
import type { MachineDoubt } from '../../../shared/rules/cloud/verified-machine.ts';
import type { Proof } from '../../../shared/rules/nodes/out-of-service-proof.ts';

const LIFECYCLE = 'cloud-node-lifecycle-controller';

export const deletingNode = (name: string): EventText => ({
  type: 'Normal',
  reason: 'DeletingNode',
  message: `Deleting node ${name} because it does not exist in the cloud provider`,
  component: LIFECYCLE,
});

export const deletingNodeFailed = (name: string, why: string): EventText => ({
  type: 'Warning',
  reason: 'DeletingNodeFailed',
  message: `Failed deleting node ${name}: ${why}`,
  component: LIFECYCLE,
});

/** Named as by aws-node-termination-handler. */
const NOTICES: Readonly<Record<NoticeKind, string>> = {
  spot: 'SpotInterruption',
  rebalance: 'RebalanceRecommendation',
  maintenance: 'ScheduledEvent',
  lifecycle: 'ASGLifecycle',
};

export const leaving = (name: string, notice: NoticeKind, goesAt: EpochMs | undefined): EventText => {
  const until = goesAt === undefined ? '' : ` until ${toTime(goesAt)}`;
  return {
    type: 'Warning',
    reason: NOTICES[notice],
    message: `Node ${name} is cordoned and drained${until}: ${noticeText(notice)}`,
    component: 'cloud-node-controller',
  };
};

export const maintenanceAhead = (name: string, { drainAt, startsAt }: ScheduledMaintenance): EventText => ({
  type: 'Warning',
  reason: NOTICES.maintenance,
  message: `Node ${name} is cordoned and drained from ${toTime(drainAt)}: maintenance of the instance is scheduled${startsAt === undefined ? '' : ` for ${toTime(startsAt)}`}`,
  component: 'cloud-node-controller',
});

export const maintenanceOver = (name: string): EventText => ({
  type: 'Normal',
  reason: 'ScheduledEventOver',
  message: `Maintenance of the instance of node ${name} is over or cancelled: its drain is taken back`,
  component: 'cloud-node-controller',
});

const DOUBTS: Readonly<Record<MachineDoubt, string>> = {
  MachineNotVerified: 'only the node itself names its machine, and no provider names this Node for it',
  MachineAmbiguous: 'another Node names the machine, too',
};

/** `held`: what is not done, as a sentence. */
export const machineDoubted = (name: string, doubt: MachineDoubt, held: string): EventText => ({
  type: 'Warning',
  reason: doubt,
  message: `Node ${name}: ${DOUBTS[doubt]}. ${held}`,
  component: 'cloud-node-controller',
});

const PROOFS: Readonly<Record<Proof['source'], string>> = {
  cloud: 'its cloud has shut the machine down',
  fencing: 'the fencing service has switched the machine off',
  operator: 'an operator says that the machine is off',
};

export const outOfServiceProven = (name: string, source: Proof['source']): EventText => ({
  type: 'Normal',
  reason: 'OutOfServiceProven',
  message: `Node ${name} is out of service: ${PROOFS[source]}`,
  component: 'cloud-node-controller',
});

export const outOfServiceEnded = (name: string): EventText => ({
  type: 'Normal',
  reason: 'OutOfServiceEnded',
  message: `Node ${name} is ready again and its pods of before are gone: it is in service`,
  component: 'cloud-node-controller',
});

export const SYNCED: EventText = {
  type: 'Normal',
  reason: 'Synced',
  message: 'Node synced successfully',
  component: 'cloud-node-controller',
};
