/** Uses of tokens over a synchronous table. */
import type { EpochMs } from '../../kube/values/time.ts';
import type { TokenUse } from '../../ports/store/commit.ts';

/** How often each token was used, by its id. */
export interface TokenUseTable {
  get(id: string): number | undefined;
  set(id: string, uses: number, expiresAt: EpochMs): void;
}

/** Whether the token has a use left; true without one. */
export const useHolds = (uses: Pick<TokenUseTable, 'get'>, use: TokenUse | undefined): boolean =>
  !use || (uses.get(use.id) ?? 0) < use.most;

/** Counts the use. */
export const applyUse = (uses: TokenUseTable, use: TokenUse | undefined): void => {
  if (use) uses.set(use.id, (uses.get(use.id) ?? 0) + 1, use.expiresAt);
};
