import type { LifecycleEvent } from '../../shared/ports/event-bus.ts';
import type { EventTarget, EventText } from '../../shared/ports/event-recorder.ts';
import { liveRow, type Row } from '../../shared/ports/rows.ts';
import type { Step } from '../step.ts';

/** One record of the stream; a marker counts as absence. */
export interface Change {
  readonly before?: Row;
  readonly after?: Row;
}

/** A `core/v1` Event that the change calls for. */
export interface Notice {
  readonly target: EventTarget;
  readonly text: EventText;
  readonly occasion: string;
}

/** What one change sets in motion beside the messages to controllers. */
export interface Announced {
  readonly lifecycle: readonly LifecycleEvent[];
  readonly notices: readonly Notice[];
  /** Nodes that have something to act on: their `workRevision` moves. */
  readonly workFor: readonly string[];
}

/** `undefined` where the change is none: a marker that expired, or nothing at all. */
export const stepOf = ({ before, after }: Change): Step | undefined => {
  const row = after ?? before;
  if (!row || (!liveRow(before) && !liveRow(after))) return undefined;
  const { key, uid, revision } = row;
  return { key, uid, revision, before: liveRow(before), after: liveRow(after) };
};

/** Order and deduplicate by it: buses do neither. */
export const idOf = ({ uid, revision }: Step): string => `${uid}/${revision}`;
