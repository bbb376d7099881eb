/**
 * Rows of an index or a scan: they may lag behind the tables and may lack rows. Decide with them what to look at;
 * read again consistently before a write. Writes take rows, not `Eventual` ones, so the compiler refuses the shortcut.
 */
export interface Eventual<T> {
  readonly freshness: 'eventual';
  readonly value: T;
}

export const eventual = <T>(value: T): Eventual<T> => ({ freshness: 'eventual', value });
