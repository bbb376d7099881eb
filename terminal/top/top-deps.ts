import type { Connection } from './connect.ts';

/** What `rollcall top` needs. */
export interface TopDeps {
  /** Address of the API, as it is shown. */
  readonly server: string;
  readonly now: () => number;
  readonly hasBeats: boolean;
  /** Connects to the API. `onChange`: it is lost, or answers again. */
  readonly connect: (onChange: () => void) => Connection;
}

/** Milliseconds for which changes are merged. */
export const MERGE_MS = 250;
