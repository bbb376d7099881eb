/** When the status of the Node is written, and what about it besides the status. Source: kubernetes v1.34 pkg/kubelet `tryUpdateNodeStatus`. */
import { LABEL_ARCH, LABEL_OS } from '../../../shared/kube/types/well-known.ts';
import type { NodeEvent, ReportedNode } from '../node/reported-status.ts';
import { hasStatusChanged } from './status-change.ts';

/** What the agent remembers from one report to the next. */
export interface ReportState {
  /** When a status was last written, in ms of a clock that is never set; `undefined`: not since the agent started. */
  readonly lastReportAt?: number;
  /** Added to the period, so that nodes that changed together do not report together; negative: sooner. */
  readonly delayMs: number;
  /** The pod CIDRs that the runtime knows. */
  readonly podCidrs: string;
  readonly isUnschedulable: boolean;
}

export const INITIAL_REPORT_STATE: ReportState = { delayMs: 0, podCidrs: '', isUnschedulable: false };

/** Whether an unchanged status has to be written at `now`, too. */
export const isReportDue = (
  { lastReportAt, delayMs }: ReportState,
  frequencyMs: number,
  now: number,
): boolean => lastReportAt === undefined || now - lastReportAt >= frequencyMs + delayMs;

/** The delay after a change: from minus half a period up to half a period. `chance` is from 0 up to 1. */
export const delayAfterChange = (frequencyMs: number, chance: number): number =>
  Math.trunc(frequencyMs * (chance - 0.5));

/** Whether the next report is delayed by chance: after a change and after the first report, not after one that was only due. */
export const isDelayDrawn = ({ lastReportAt }: ReportState, isChanged: boolean): boolean =>
  isChanged || lastReportAt === undefined;

export interface Platform {
  readonly operatingSystem: string;
  readonly architecture: string;
}

/** The Node with the labels of its platform, whatever others wrote into them; the same object if they are right. */
export const withPlatformLabels = (
  node: ReportedNode,
  { operatingSystem, architecture }: Platform,
): ReportedNode => {
  const { labels } = node.metadata;
  if (labels?.[LABEL_OS] === operatingSystem && labels[LABEL_ARCH] === architecture) return node;
  const right = { [LABEL_OS]: operatingSystem, [LABEL_ARCH]: architecture };
  return { ...node, metadata: { ...node.metadata, labels: { ...labels, ...right } } };
};

/** The pod CIDRs of the Node as the runtime is told them; `undefined`: it has none, or the runtime knows them. */
export const newPodCidrs = ({ spec }: ReportedNode, { podCidrs }: ReportState): string | undefined => {
  const cidrs = (spec?.podCIDRs ?? []).join(',');
  return cidrs === '' || cidrs === podCidrs ? undefined : cidrs;
};

/** That pods are kept away from the Node, or are not any more. */
export const schedulableEvent = (
  { metadata, spec }: ReportedNode,
  { isUnschedulable }: ReportState,
): NodeEvent | undefined => {
  const isNow = spec?.unschedulable === true;
  if (isNow === isUnschedulable) return undefined;
  const reason = isNow ? 'NodeNotSchedulable' : 'NodeSchedulable';
  return { type: 'Normal', reason, message: `Node ${metadata.name} status is now: ${reason}` };
};

/** Whether the Node has to be written: its status changed, or a label of its platform was wrong. */
export const isNodeChanged = (before: ReportedNode, after: ReportedNode): boolean =>
  [LABEL_OS, LABEL_ARCH].some(
    (label) => before.metadata.labels?.[label] !== after.metadata.labels?.[label],
  ) || hasStatusChanged(before.status, after.status);
