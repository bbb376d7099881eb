import { describe, expect, it } from 'vitest';
import type { PublicKeys } from '../../../shared/ports/outside/public-keys.ts';
import { T0 } from '../../support/stores/builders.ts';

const OLD = { current: 'k1', keys: { k1: 'x1' } };
const NEW = { current: 'k2', keys: { k1: 'x1', k2: 'x2' } };

/** Where the API shows its public keys. */
export const publicKeysContract = (name: string, create: () => Promise<PublicKeys>): void => {
  describe(`${name}: public keys`, () => {
    it('are none before they are published', async () => {
      expect(await (await create()).read()).toBeUndefined();
    });

    it('are replaced by those of later secrets, and not by a process that has read an earlier secret', async () => {
      const keys = await create();
      await keys.publish(OLD, T0);
      expect(await keys.read()).toEqual(OLD);
      await keys.publish(NEW, T0 + 1);
      await keys.publish(OLD, T0);
      await keys.publish(OLD, T0 + 1);
      expect(await keys.read()).toEqual(NEW);
    });
  });
};
