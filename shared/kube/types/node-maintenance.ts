/** rollcall.dev/v1 NodeMaintenance: which nodes are drained and maintained when, and how many at the same time. */
import type { ApiObject, Condition, LabelSelector } from './meta.ts';

/** What says that the maintenance of a node is done. */
export const DONE_WHEN = ['Rebooted', 'Annotated', 'Drained'] as const;

/** Options of the drains, as in a NodeDrain. Pods of DaemonSets always stay. */
export interface MaintenanceDrain {
  readonly gracePeriodSeconds?: number;
  readonly timeoutSeconds?: number;
  readonly deleteAfterSeconds?: number;
  readonly force?: boolean;
  readonly deleteEmptyDirData?: boolean;
}

export interface NodeMaintenanceSpec {
  readonly nodeSelector?: LabelSelector;
  /** Cron, five fields. Either this or `startTime`. */
  readonly schedule?: string;
  /** Of `schedule`; UTC if absent. */
  readonly timeZone?: string;
  readonly startTime?: string;
  /** How long a window is open. No node begins later. */
  readonly durationSeconds?: number;
  /** A window that could not be begun for so long is missed. Absent: as long as it is open. */
  readonly startingDeadlineSeconds?: number;
  /** Seconds before a window from which its nodes have the condition `MaintenancePlanned`; 0: never. */
  readonly plannedSeconds?: number;
  /** Number or percentage of the selected nodes, at least 1. */
  readonly maxConcurrent?: number | string;
  readonly drain?: MaintenanceDrain;
  readonly doneWhen?: (typeof DONE_WHEN)[number];
  /** Whether a node is made schedulable again when its maintenance is done. */
  readonly uncordon?: boolean;
  readonly suspend?: boolean;
  readonly [field: string]: unknown;
}

/** A node that is being drained, or that is drained and is being maintained. */
export interface NodeInMaintenance {
  readonly name: string;
  readonly phase: 'Draining' | 'Maintaining';
}

export interface NodeMaintenanceStatus {
  readonly observedGeneration?: number;
  /** Start of the window that is open, or of the last one. */
  readonly windowStartTime?: string;
  readonly windowEndTime?: string;
  readonly nextStartTime?: string;
  readonly selected?: number;
  /** Nodes that have the condition `MaintenancePlanned` because of it. */
  readonly planned?: number;
  readonly waiting?: number;
  readonly inProgress?: number;
  readonly done?: number;
  readonly failed?: number;
  /** The first of them. */
  readonly nodes?: readonly NodeInMaintenance[];
  /** The first of them, with what went wrong. */
  readonly failures?: readonly { readonly name: string; readonly message: string }[];
  readonly conditions?: readonly Condition[];
}

export interface NodeMaintenance extends ApiObject {
  readonly spec?: NodeMaintenanceSpec;
  readonly status?: NodeMaintenanceStatus;
}
