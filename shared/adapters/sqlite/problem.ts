/** What may be wrong with the folder of the database. */
export type SqliteProblemKind = 'damaged' | 'full' | 'inUse' | 'newer' | 'notABackup' | 'unwritable';

/** The state cannot be used: one line that names the folder and the way out, for people. */
export class SqliteProblem extends Error {
  override readonly name = 'SqliteProblem';
  readonly kind: SqliteProblemKind;
  readonly folder: string;

  constructor(kind: SqliteProblemKind, folder: string, message: string, cause?: unknown) {
    super(message, { cause });
    this.kind = kind;
    this.folder = folder;
  }
}
