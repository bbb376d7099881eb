import type { Row } from './rows.ts';

/** Counts the changes of a feed; 0 lies before the first one. It never comes again, also after changes were forgotten. */
export type FeedPosition = number;

/** One committed change of a row; `before` is absent where none was. A marker says that the object was deleted. */
export interface FeedChange {
  readonly position: FeedPosition;
  readonly before?: Row;
  readonly after?: Row;
}

/** Every committed change of every resource, written by the commit itself, for one consumer: what a stream of the table is elsewhere. */
export interface ChangeFeed {
  /** At most `limit` changes behind `after`, in the order of their commits. */
  read(after: FeedPosition, limit: number): Promise<readonly FeedChange[]>;
  /** Where to go on after a restart: everything up to here was acknowledged. */
  position(): Promise<FeedPosition>;
  /** The changes up to `position` are dealt with and may be forgotten; a crash may bring the last ones again. A lower position is ignored. */
  acknowledge(position: FeedPosition): Promise<void>;
}
