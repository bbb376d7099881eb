/** Converts the items of relays in the table `heartbeats`: a roster, and the last batch with one age per node. */
import { optional } from '../../../kube/values/optional.ts';
import { type HeartbeatItem, partPath, RELAY_BEATS, RELAY_ROSTERS } from '../../../ports/store/heartbeats.ts';
import type { RelayBeats, RelayedAge, RelayPart, RelayRoster } from '../../../rules/relays/relay-items.ts';
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
const NOT_HEARD = 0xff_ff_ff_ff;
const PLAIN = 0x80_00_00_00;

const packAge = (age: RelayedAge | null): number =>
  age === null ? NOT_HEARD : (age.isPlain ? PLAIN : 0) + age.ageMs;

const unpackAge = (packed: number): RelayedAge | null =>
  packed === NOT_HEARD ? null : { ageMs: packed % PLAIN, isPlain: packed >= PLAIN };

const packAges = (ages: RelayBeats['ages']): Uint8Array => {
  const bytes = Buffer.alloc(ages.length * BYTES);
  for (const [place, age] of ages.entries()) bytes.writeUInt32BE(packAge(age), place * BYTES);
  return bytes;
};

const unpackAges = (packed: Uint8Array): RelayBeats['ages'] => {
  const bytes = Buffer.from(packed);
  return Array.from({ length: bytes.byteLength / BYTES }, (_, place) =>
    unpackAge(bytes.readUInt32BE(place * BYTES)),
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
  ages: packAges(ages),
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
    ages: unpackAges(ages),
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
