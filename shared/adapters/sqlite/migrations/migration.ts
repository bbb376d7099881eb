/** One migration: SQL for each of the two files. A migration that was released is never changed. */
export interface Migration {
  readonly objects: string;
  readonly heartbeats: string;
}
