/**
 * Rows of an index or a scan, which may be stale or incomplete. Use them to decide what to read; read those rows consistently
 * before a write. Writes do not accept `Eventual` rows, so the compiler enforces this.
 */
export interface Eventual<T> {
  readonly freshness: 'eventual';
  readonly value: T;
}

/** Marks a value as eventually consistent. */
export const eventual = <T>(value: T): Eventual<T> => ({ freshness: 'eventual', value });
