import type { Row } from './rows.ts';

/** The number of a change in a feed; 0 is before the first change. Numbers are never reused, also after old changes were deleted. */
export type FeedPosition = number;

/** One committed change of a row; `before` is absent if there was no row. A marker says that the object was deleted. `expiresAt` may be missing in both. */
export interface FeedChange {
  readonly position: FeedPosition;
  readonly before?: Row;
  readonly after?: Row;
  /** The trace of the commit, as a `traceparent`. */
  readonly trace?: string;
}

/** Every committed change of every resource, for one consumer. The commit itself writes it. It takes the place of DynamoDB Streams. */
export interface ChangeFeed {
  /** The changes after position `after`, in commit order: at most `limit`, fewer if they are large, at least one if there is any. */
  read(after: FeedPosition, limit: number): Promise<readonly FeedChange[]>;
  /** The last acknowledged position, where reading continues after a restart. */
  position(): Promise<FeedPosition>;
  /** Marks the changes up to `position` as processed, so that they may be deleted. After a crash the last ones may be read again. A lower position is ignored. */
  acknowledge(position: FeedPosition): Promise<void>;
}
