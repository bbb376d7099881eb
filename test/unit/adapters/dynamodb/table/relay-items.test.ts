import { expect, it } from 'vitest';
import { packBeats, relayMembers } from '../../../../../shared/adapters/dynamodb/items/relay-items.ts';
import { HEARTBEAT } from '../../../../../shared/adapters/dynamodb/table/schema.ts';
import { packAges } from '../../../../../shared/rules/relays/packed-ages.ts';

it('ages are four bytes each in the table, the first bit for a plain heartbeat, as earlier versions stored them', () => {
  const ages = [{ ageMs: 1_234, isPlain: false }, null, { ageMs: 0x7f_ff_ff_fe, isPlain: true }];
  const beats = { sequence: 7, receivedAt: 5, roster: 1, ages: packAges(ages) };
  const stored = packBeats(beats);
  expect(Buffer.from(stored.ages).toString('hex')).toBe(['000004d2', 'ffffffff', 'fffffffe'].join(''));
  const item = Object.fromEntries(
    (['sequence', 'receivedAt', 'agesRoster', 'ages'] as const).map((name) => [
      HEARTBEAT[name],
      stored[name],
    ]),
  );
  expect(relayMembers(item)).toEqual({ relayed: beats });
});
