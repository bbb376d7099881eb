import type { EpochMs } from '../../kube/values/time.ts';
import type { NewNotice } from '../../rules/notifications/notice.ts';

/** An event that waits for a sink. */
export interface Notice extends NewNotice {
  /** Its key in the outbox of the sink. */
  readonly key: string;
}

/** Events that wait for sinks, for several processes. */
export interface Outbox {
  /** Stores events for a sink until `expiresAt`, or until they are removed. One that is added again may be stored twice. Several may be stored when it throws. */
  add(sink: string, notices: readonly NewNotice[], expiresAt: EpochMs): Promise<void>;
  /** The first ones of a sink by `storedAt`, at most `most`. Consistent. */
  waiting(sink: string, most: number): Promise<readonly Notice[]>;
  /** Removes events. Those that are gone already do no harm. */
  remove(sink: string, keys: readonly string[]): Promise<void>;
}
