// What every HeartbeatStore keeps to about relays.

import { describe, expect, it } from 'vitest';
import type { HeartbeatItem } from '../../../shared/ports/store/heartbeats.ts';
import { nodeKey } from '../../../shared/ports/store/rows.ts';
import { packAges } from '../../../shared/rules/relays/packed-ages.ts';
import type { RelayBeats, RelayRoster } from '../../../shared/rules/relays/relay-items.ts';
import { change, EXPIRES_AT, T0 } from '../../support/stores/builders.ts';
import { createNode, type Stores } from './commit-effects.contract.ts';

const PART = { relay: 'site-a', part: 3 };
const NODE = 'n1';
const ROSTER: RelayRoster = {
  revision: 1,
  entries: [
    { name: NODE, uid: '2089b1ea-2fbf-44f1-9d16-9e5954beed28', untilAt: T0 + 5_000, since: 1 },
    { name: 'n2', uid: 'not-a-uuid', untilAt: T0 + 9_000, since: 1 },
  ],
};
const BEATS: RelayBeats = {
  sequence: 7,
  receivedAt: T0,
  roster: 1,
  ages: packAges([{ ageMs: 1_234, isPlain: false }, null, { ageMs: 0x7f_ff_ff_fe, isPlain: true }]),
};

export const relayStoreContract = (stores: () => Stores): void => {
  const relays = () => stores().heartbeats;
  const putBeats = (read: number | undefined, next: RelayBeats) =>
    relays().replaceRelayed(PART, read, next, EXPIRES_AT);

  describe('relays', () => {
    it('nothing is stored of a relay that nobody has heard', async () => {
      expect(await relays().readRelay(PART)).toEqual({});
    });

    it('shows roster and beats as they were stored, also in a scan', async () => {
      expect(await relays().replaceRoster(PART, undefined, ROSTER, EXPIRES_AT)).toBe(true);
      expect(await relays().readRelay(PART)).toEqual({ roster: ROSTER });
      expect(await putBeats(undefined, BEATS)).toBe(true);
      expect(await relays().readRelay(PART)).toEqual({ roster: ROSTER, beats: BEATS });
      expect(await relays().readRelay({ ...PART, part: 4 })).toEqual({});
      const scanned = async (): Promise<readonly HeartbeatItem[]> => {
        const items: HeartbeatItem[] = [];
        for await (const { value } of relays().scan()) items.push(...value);
        return items.toSorted((a, b) => (a.namespace < b.namespace ? -1 : 1));
      };
      await expect.poll(scanned).toMatchObject([
        { namespace: 'relay:beats', name: 'site-a#3', relayed: BEATS },
        { namespace: 'relay:rosters', name: 'site-a#3', roster: ROSTER },
      ]);
    });

    it('keeps that a relay was deleted', async () => {
      const closed: RelayRoster = { revision: 2, entries: [], closedAt: T0 + 7 };
      await relays().replaceRoster(PART, undefined, ROSTER, EXPIRES_AT);
      expect(await relays().replaceRoster(PART, 1, closed, EXPIRES_AT)).toBe(true);
      expect((await relays().readRelay(PART)).roster).toEqual(closed);
      const again = { ...ROSTER, revision: 3, closedAt: T0 + 7 };
      expect(await relays().replaceRoster(PART, 2, again, EXPIRES_AT)).toBe(true);
      expect((await relays().readRelay(PART)).roster).toEqual(again);
    });

    it('writes only what is as it was read', async () => {
      await relays().replaceRoster(PART, undefined, ROSTER, EXPIRES_AT);
      await putBeats(undefined, BEATS);
      expect(await relays().replaceRoster(PART, undefined, { revision: 2, entries: [] }, EXPIRES_AT)).toBe(
        false,
      );
      expect(await relays().replaceRoster(PART, 1, { revision: 2, entries: [] }, EXPIRES_AT)).toBe(true);
      expect(await putBeats(undefined, { ...BEATS, sequence: 8 })).toBe(false);
      expect(await putBeats(6, { ...BEATS, sequence: 8 })).toBe(false);
      expect(await putBeats(7, { ...BEATS, sequence: 8, aheadAt: T0 + 1 })).toBe(true);
      expect((await relays().readRelay(PART)).beats).toEqual({ ...BEATS, sequence: 8, aheadAt: T0 + 1 });
      expect(await putBeats(8, { ...BEATS, sequence: 9 })).toBe(true);
      expect((await relays().readRelay(PART)).beats).toEqual({ ...BEATS, sequence: 9 });
    });

    it('of two writers one wins', async () => {
      const both = await Promise.all([
        putBeats(undefined, BEATS),
        putBeats(undefined, { ...BEATS, sequence: 8 }),
      ]);
      expect(both.filter((isStored) => isStored)).toHaveLength(1);
    });

    it('a node joins at most four relays, and only its own entry', async () => {
      const { uid } = await createNode(stores());
      expect(await relays().joinRelay(NODE, 'other', PART)).toBe(false);
      expect(await relays().joinRelay('nobody', uid, PART)).toBe(false);
      for (const part of [3, 1, 3, 2, 5, 6])
        expect(await relays().joinRelay(NODE, uid, { ...PART, part })).toBe(true);
      expect(await relays().entries([NODE, 'nobody'])).toMatchObject([
        { name: NODE, uid, relays: ['site-a#3', 'site-a#2', 'site-a#5', 'site-a#6'] },
      ]);
    });

    it('new work of a node is told its relays that have sent a batch', async () => {
      const { uid } = await createNode(stores());
      await relays().joinRelay(NODE, uid, PART);
      await relays().bumpWorkRevision(NODE, T0);
      expect(await relays().readRelay(PART)).toEqual({});
      await putBeats(undefined, BEATS);
      await relays().bumpWorkRevision(NODE, T0);
      await putBeats(7, { ...BEATS, sequence: 8 });
      await relays().bumpWorkRevision(NODE, T0);
      expect((await relays().readRelay(PART)).workChanges).toBe(2);
      expect(await relays().entries([NODE])).toMatchObject([{ workRevision: T0 + 2 }]);
    });

    it.each([
      ['the batch that was read is the last', 7, 'committed'],
      ['another one has come', 6, 'checkFailed'],
      ['the first one has come', undefined, 'checkFailed'],
    ])('a commit may require that %s', async (_name, sequence, outcome) => {
      const { revision } = await createNode(stores());
      await putBeats(undefined, BEATS);
      const heartbeat = {
        effect: 'unmoved',
        node: NODE,
        observedAt: undefined,
        relays: [{ part: PART, sequence }],
      } as const;
      const done = await change(stores().objects, { key: nodeKey(NODE), expected: revision, heartbeat });
      expect(done.outcome).toMatchObject({ outcome });
    });
  });
};
