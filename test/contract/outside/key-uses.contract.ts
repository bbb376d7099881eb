import { describe, expect, it } from 'vitest';
import type { KeyUse, KeyUses } from '../../../shared/ports/outside/key-uses.ts';
import { T0 } from '../../support/stores/builders.ts';

const use = (user: string, given: Partial<KeyUse> = {}): KeyUse => ({
  kid: 'k1',
  user,
  lastUsedAt: T0,
  expiresAt: T0 + 60_000,
  ...given,
});

/** Who uses a key that no longer signs. */
export const keyUsesContract = (name: string, create: () => Promise<KeyUses>): void => {
  describe(`${name}: uses of a key`, () => {
    it('keep only the last use of each user', async () => {
      const uses = await create();
      for (const one of [use('ann'), use('system:node:n1'), use('ann', { lastUsedAt: T0 + 5 })])
        await uses.record(one);
      const found = await uses.list('k1', T0, 10);
      expect(found.toSorted((a, b) => (a.user < b.user ? -1 : 1))).toEqual([
        use('ann', { lastUsedAt: T0 + 5 }),
        use('system:node:n1'),
      ]);
    });

    it('are separate for each key, and end when the token expires', async () => {
      const uses = await create();
      await uses.record(use('ann'));
      await uses.record(use('bob', { kid: 'k2' }));
      expect(await uses.list('k2', T0, 10)).toEqual([use('bob', { kid: 'k2' })]);
      expect(await uses.list('k1', T0 + 60_000, 10)).toEqual([]);
    });

    it('are never more than the limit', async () => {
      const uses = await create();
      for (const user of ['a', 'b', 'c']) await uses.record(use(user));
      expect(await uses.list('k1', T0, 2)).toHaveLength(2);
    });
  });
};
