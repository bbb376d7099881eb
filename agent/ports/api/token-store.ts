import type { OwnToken } from '../../rules/registration/own-token.ts';

/** Keeps the node's own token. It survives the machine's end. */
export interface TokenStore {
  /** `undefined`: the machine has not joined yet. Rejects if it cannot be read. */
  load(): Promise<OwnToken | undefined>;
  store(token: OwnToken): Promise<void>;
}
