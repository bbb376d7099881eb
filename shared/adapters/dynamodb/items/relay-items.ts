/** Converts the items of relays in the table `heartbeats`: a roster, and the last batch with one age per node. */
import { optional } from '../../../kube/values/optional.ts';
import { type HeartbeatItem, partPath, RELAY_BEATS, RELAY_ROSTERS } from '../../../ports/store/heartbeats.ts';
import { ageIn, isPlainIn, NOT_HEARD, packedAge } from '../../../rules/relays/packed-ages.ts';
import type { PackedAges, RelayBeats, RelayPart, RelayRoster } from '../../../rules/relays/relay-items.ts';
import { nameKey } from '../table/keys.ts';
import {
  bytesOf,
  deflateJson,
  type Item,
  inflateJson,
  numberOf,
  requiredAttribute,
  textOf,
} from '../table/packing.ts';
import { HEARTBEAT } from '../table/schema.ts';

const keyIn = (namespace: string, part: RelayPart) => ({
  [HEARTBEAT.partition]: nameKey({ namespace, name: partPath(part) }),
});

/** Primary key of the roster of a part. */
export const rosterKey = (part: RelayPart) => keyIn(RELAY_ROSTERS, part);
/** Primary key of the beats of a part. */
export const beatsKey = (part: RelayPart) => keyIn(RELAY_BEATS, part);

const BYTES = 4;
/** The bit of a plain heartbeat in the table. An age that was not heard has all bits there, too. */
const PLAIN = 0x80_00_00_00;

const toTable = (age: number): number =>
  age === NOT_HEARD ? NOT_HEARD : (isPlainIn(age) ? PLAIN : 0) + ageIn(age);

const fromTable = (stored: number): number =>
  stored === NOT_HEARD ? NOT_HEARD : packedAge(stored % PLAIN, stored >= PLAIN);

const bytesOfAges = (ages: PackedAges): Uint8Array => {
  const bytes = Buffer.alloc(ages.length * BYTES);
  for (const [place, age] of ages.entries()) bytes.writeUInt32BE(toTable(age), place * BYTES);
  return bytes;
};

const agesIn = (stored: Uint8Array): PackedAges => {
  const bytes = Buffer.from(stored);
  return new Uint32Array(bytes.byteLength / BYTES).map((_, place) =>
    fromTable(bytes.readUInt32BE(place * BYTES)),
  );
};

/** The attributes of a roster. */
export const packRoster = (roster: RelayRoster) => ({
  roster: deflateJson(roster.entries.map(({ name, uid, untilAt, since }) => [name, uid, untilAt, since])),
  rosterRevision: roster.revision,
  ...optional('closedAt', roster.closedAt),
});

/** The attributes of the last batch, without `aheadAt`. */
export const packBeats = ({ sequence, receivedAt, roster, ages }: RelayBeats) => ({
  sequence,
  receivedAt,
  agesRoster: roster,
  ages: bytesOfAges(ages),
});

const numberIn = (item: Item, name: 'rosterRevision' | 'receivedAt' | 'agesRoster'): number =>
  requiredAttribute(numberOf(item, HEARTBEAT[name]), HEARTBEAT[name]);

const rosterOf = (item: Item): RelayRoster | undefined => {
  const packed = bytesOf(item, HEARTBEAT.roster);
  if (!packed) return undefined;
  const rows = inflateJson(packed) as readonly [string, string, number, number][];
  return {
    revision: numberIn(item, 'rosterRevision'),
    entries: rows.map(([name, uid, untilAt, since]) => ({ name, uid, untilAt, since })),
    ...optional('closedAt', numberOf(item, HEARTBEAT.closedAt)),
  };
};

const beatsOf = (item: Item): RelayBeats | undefined => {
  const [ages, sequence] = [bytesOf(item, HEARTBEAT.ages), numberOf(item, HEARTBEAT.sequence)];
  if (!ages || sequence === undefined) return undefined;
  return {
    sequence,
    receivedAt: numberIn(item, 'receivedAt'),
    roster: numberIn(item, 'agesRoster'),
    ages: agesIn(ages),
    ...optional('aheadAt', numberOf(item, HEARTBEAT.aheadAt)),
  };
};

/** The members of a heartbeat item that are about relays. Most items have none. */
export const relayMembers = (
  item: Item,
): Pick<HeartbeatItem, 'relays' | 'roster' | 'relayed' | 'workChanges'> => ({
  ...optional('relays', textOf(item, HEARTBEAT.relays)?.split(' ')),
  ...optional('roster', rosterOf(item)),
  ...optional('relayed', beatsOf(item)),
  ...optional('workChanges', numberOf(item, HEARTBEAT.workChanges)),
});
