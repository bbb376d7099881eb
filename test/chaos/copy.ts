/** The state as a kill left it: copied, so that to look at it repairs nothing of what the next start has to repair. */
import { cpSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { openSqliteState, type SqliteState } from '../../shared/adapters/sqlite/state.ts';
import { systemClock as clock } from '../../shared/adapters/system/clock.ts';

export interface StateCopy {
  readonly state: SqliteState;
  /** What the start on it had to say, such as repairs. */
  readonly notices: readonly string[];
  dispose(): void;
}

/** Of a host's folder whose process is gone. */
export const copyFolder = (folder: string): string => {
  const copy = mkdtempSync(`${folder}-copy-`);
  cpSync(join(folder, 'state'), copy, { recursive: true });
  return copy;
};

/** Opens what `copyFolder` made; `dispose` removes it. */
export const openCopy = (copy: string): StateCopy => {
  const notices: string[] = [];
  const state = openSqliteState({ folder: copy, clock, onNotice: (notice) => notices.push(notice) });
  const dispose = (): void => {
    state.close();
    rmSync(copy, { recursive: true, force: true });
  };
  return { state, notices, dispose };
};
