import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { EventTarget, EventText } from '../../shared/ports/process/event-recorder.ts';
import { liveRow, type Row } from '../../shared/ports/store/rows.ts';
import type { LifecycleEvent } from '../../shared/rules/notifications/lifecycle-event.ts';
import type { Step } from '../contract/step.ts';

/** One record of the stream: the row before and after a commit. A deletion marker counts as absent. */
export interface Change {
  readonly before?: Row;
  readonly after?: Row;
  /** When the stream got it, if it says so. */
  readonly at?: EpochMs;
}

/** A `core/v1` Event that a change causes. */
export interface Notice {
  readonly target: EventTarget;
  readonly text: EventText;
  /** See `EventRecorder.record`. */
  readonly occasion: string;
}

/** What one change causes besides messages to controllers. */
export interface Announced {
  readonly lifecycle: readonly LifecycleEvent[];
  readonly notices: readonly Notice[];
  /** Names of nodes whose agents have to act: their `workRevision` is raised. */
  readonly workFor: readonly string[];
}

/** The change as controllers see it; `undefined` if no live object is involved, as when a deletion marker expires. */
export const stepOf = ({ before, after }: Change): Step | undefined => {
  const row = after ?? before;
  if (!row || (!liveRow(before) && !liveRow(after))) return undefined;
  const { key, uid, revision } = row;
  return { key, uid, revision, before: liveRow(before), after: liveRow(after) };
};

/** Id of a lifecycle event. Consumers order and deduplicate by it, because EventBridge does neither. */
export const idOf = ({ uid, revision }: Step): string => `${uid}/${revision}`;
