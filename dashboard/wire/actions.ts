/** What page and server of the dashboard say to each other about actions on a node. */
import type { Taint } from '../../shared/kube/types/core.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { PodFate } from '../../shared/rules/node-actions/pod-fate.ts';

/** A header that pages of other origins cannot send without asking first. Each POST has it, with the value `1`. */
export const ACTION_HEADER = 'x-rollcall-dashboard';

/** The actions that there are. */
export const ACTIONS = ['cordon', 'uncordon', 'drain', 'taint', 'untaint', 'outOfService'] as const;
export type ActionName = (typeof ACTIONS)[number];

/** What may be done; nothing without `--allow-actions`. */
export interface ActionsOffered {
  readonly actions: readonly ActionName[];
}

/** The options of a drain, as a NodeDrain names them. */
export interface DrainChoice {
  readonly force?: boolean;
  readonly deleteEmptyDirData?: boolean;
  readonly timeoutSeconds?: number;
  readonly reason?: string;
}

/** Asks what would follow. `taint`: of `taint` and `untaint`. `drain`: of `drain`. */
export interface PreviewRequest {
  readonly node: string;
  readonly action: ActionName;
  readonly taint?: Taint;
  readonly drain?: DrainChoice;
}

/** What would follow, computed at `now` of the server's clock from the Node at one version. */
export interface ActionPreview {
  readonly now: EpochMs;
  /** Names this preview, to do what it says; '' if the action is not offered. */
  readonly ticket: string;
  readonly resourceVersion: string;
  readonly sentences: readonly string[];
  readonly warnings: readonly string[];
  /** Why the action is not offered. */
  readonly refusals: readonly string[];
  readonly pods: readonly PodFate[];
  /** Pods that are not listed, because there are too many. */
  readonly hiddenPods: number;
  /** The same on a terminal. */
  readonly command: string;
}

/** Does what a preview said. `isOff`: whoever asks knows that the machine is off; needed for `outOfService`. */
export interface PerformRequest {
  readonly ticket: string;
  readonly isOff?: boolean;
}

/** Also the body of refusals. `isChanged`: the Node is no longer the one of the preview. */
export interface ActionResult {
  readonly message: string;
  readonly isChanged?: boolean;
}
