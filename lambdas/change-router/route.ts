import type { LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { EventTarget, EventText } from '../../shared/ports/event-recorder.ts';
import type { PodReadinessMessage, TaintEvictionMessage } from '../../shared/ports/messages.ts';
import type { LiveRow, ObjectKey, Revision, Row } from '../../shared/ports/rows.ts';
import { liveRow } from '../../shared/ports/rows.ts';

/** One record of the stream; a marker counts as absence. */
export interface Change {
  readonly before?: Row;
  readonly after?: Row;
}

/** A change without markers. */
export interface Step {
  readonly key: ObjectKey;
  readonly uid: string;
  readonly revision: Revision;
  readonly before: LiveRow | undefined;
  readonly after: LiveRow | undefined;
}

/** A `core/v1` Event that the change calls for. */
export interface Notice {
  readonly target: EventTarget;
  readonly text: EventText;
  readonly occasion: string;
}

/** What one change sets in motion. */
export interface Routed {
  readonly podReadiness: readonly { readonly body: PodReadinessMessage; readonly delaySeconds?: number }[];
  readonly taintEviction: readonly { readonly body: TaintEvictionMessage }[];
  readonly lifecycle: readonly LifecycleEvent[];
  readonly notices: readonly Notice[];
  /** Nodes that have something to act on: their `workRevision` moves. */
  readonly workFor: readonly string[];
}

export const NOTHING: Routed = {
  podReadiness: [],
  taintEviction: [],
  lifecycle: [],
  notices: [],
  workFor: [],
};

/** `undefined` where the change is none: a marker that expired, or nothing at all. */
export const stepOf = ({ before, after }: Change): Step | undefined => {
  const row = after ?? before;
  if (!row || (!liveRow(before) && !liveRow(after))) return undefined;
  const { key, uid, revision } = row;
  return { key, uid, revision, before: liveRow(before), after: liveRow(after) };
};

/** Order and deduplicate by it: buses do neither. */
export const idOf = ({ uid, revision }: Step): string => `${uid}/${revision}`;
