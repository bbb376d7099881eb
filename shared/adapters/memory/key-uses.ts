import type { KeyUse, KeyUses } from '../../ports/outside/key-uses.ts';

/** The most users that are kept; the largest fleet has no more. */
const MOST = 32_768;

/** The key uses that this process has seen. The one recorded longest ago is dropped when there are too many. */
export const createMemoryKeyUses = (): KeyUses => {
  const uses = new Map<string, KeyUse>();
  return {
    record: async (use) => {
      const key = JSON.stringify([use.kid, use.user]);
      uses.delete(key);
      uses.set(key, use);
      const oldest = uses.size > MOST ? uses.keys().next().value : undefined;
      if (oldest !== undefined) uses.delete(oldest);
    },
    list: async (kid, now, limit) =>
      [...uses.values()].filter((use) => use.kid === kid && use.expiresAt > now).slice(0, limit),
  };
};
