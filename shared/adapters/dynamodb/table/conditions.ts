/** DynamoDB expressions. `#name` stands for an attribute of the schema and `:name` for a value. */

type Schema = Readonly<Record<string, string>>;
type Values = Readonly<Record<string, unknown>>;

/** The expressions of a request. */
export interface Expressions {
  readonly UpdateExpression?: string;
  readonly ConditionExpression?: string;
  readonly KeyConditionExpression?: string;
  readonly ProjectionExpression?: string;
  readonly FilterExpression?: string;
}

/** The names and values that the placeholders stand for. */
export interface Parameters {
  readonly ExpressionAttributeNames: Record<string, string>;
  readonly ExpressionAttributeValues?: Record<string, unknown>;
}

const placeholders = (expressions: Expressions, pattern: RegExp): readonly string[] => [
  ...new Set(Object.values(expressions).flatMap((text: string) => text.match(pattern) ?? [])),
];

const resolve = (found: readonly string[], source: Values): Record<string, unknown> =>
  Object.fromEntries(
    found.map((placeholder) => {
      const value = source[placeholder.slice(1)];
      if (value === undefined) throw new Error(`no value is given for the placeholder "${placeholder}"`);
      return [placeholder, value];
    }),
  );

/**
 * Adds the names and values that the expressions use. All attributes are placeholders, so reserved words cause no error. Throws if
 * the schema or `values` lacks a placeholder.
 */
export const expressions = <E extends Expressions>(
  schema: Schema,
  texts: E,
  values: Values = {},
): E & Parameters => {
  const names = placeholders(texts, /#\w+/g);
  const used = placeholders(texts, /:\w+/g);
  const attributes = resolve(names, schema);
  return {
    ...texts,
    ExpressionAttributeNames: Object.fromEntries(names.map((name) => [name, String(attributes[name])])),
    ...(used.length === 0 ? {} : { ExpressionAttributeValues: resolve(used, values) }),
  };
};

/** `SET #a = :a, #b = :b` for the given names. */
export const setEach = (names: readonly string[]): string =>
  `SET ${names.map((name) => `#${name} = :${name}`).join(', ')}`;

/** ` REMOVE #a, #b`, or nothing for no names. */
export const removeEach = (names: readonly string[]): string =>
  names.length === 0 ? '' : ` REMOVE ${names.map((name) => `#${name}`).join(', ')}`;

/** Combines conditions with AND; `undefined` ones are left out. */
export const allOf = (...conditions: readonly (string | undefined)[]): string =>
  conditions
    .filter((condition) => condition !== undefined)
    .map((condition) => `(${condition})`)
    .join(' AND ');

/** Conditions on objects and slots: there is no row. */
export const IS_EMPTY = 'attribute_not_exists(#partition)';
export const IS_AS_READ = '#revision = :expected';
export const IS_ABSENT_OR_OLDER_MARKER =
  'attribute_not_exists(#partition) OR (attribute_not_exists(#body) AND #revision < :revision)';
export const IS_LIVE = 'attribute_exists(#body)';
/** The row is absent or a marker. */
export const IS_NOT_LIVE = 'attribute_not_exists(#body)';
export const IS_EMPTY_OR_MARKER_WITH_UID = `${IS_EMPTY} OR (${IS_NOT_LIVE} AND #uid = :uid)`;
export const IS_LIVE_WITH_UID = `${IS_LIVE} AND #uid = :uid`;
/** The row is absent, a marker, or of another uid. */
export const IS_GONE = 'attribute_not_exists(#body) OR #uid <> :uid';
/** The node has the taints that were read. It fails for a deleted node, because a marker has no taints. */
export const HAS_SAME_TAINTS = '#noExecute = :noExecute';

/** Conditions on heartbeat items: the item belongs to some Node. */
export const IS_NODE_ENTRY = 'attribute_exists(#uid)';
export const IS_ENTRY_OF_NODE = '#uid = :uid';
export const IS_NOBODYS_ENTRY = 'attribute_not_exists(#uid)';
export const IS_NEW_OR_ENTRY_OF_NODE = 'attribute_not_exists(#partition) OR #uid = :uid';
export const isNotLater = (instant: string): string =>
  `attribute_not_exists(#${instant}) OR #${instant} <= :at`;
/** The attribute is `:<name>Read`, or absent where nothing was read. */
export const isAsRead = (name: string, read: unknown): string =>
  read === undefined ? `attribute_not_exists(#${name})` : `#${name} = :${name}Read`;
export const HAS_NO_LEASE = 'attribute_not_exists(#lease)';
export const HAS_LEASE = 'attribute_exists(#lease)';
export const HAS_VERSION_AS_READ = '#version = :expected';
export const HAS_LOWER_VERSION = 'attribute_not_exists(#version) OR #version < :version';
export const HAS_NO_BEAT = 'attribute_not_exists(#observedAt)';
export const HAS_BEAT_AS_READ = '#observedAt = :observedAt';

/** Conditions on items of the control table: the counter exists and has no watermarks. */
export const HAS_NO_WATERMARKS = 'attribute_exists(#seed) AND attribute_not_exists(#watermarks)';
export const HAS_WATERMARKS_AS_READ = '#watermarks = :read';
export const HAS_LOWER_HOLD_EPOCH = 'attribute_not_exists(#holdEpoch) OR #holdEpoch < :epoch';
/** Condition on the book of holds: it is the one that was read. */
export const HAS_HOLD_EPOCH_AS_READ = '#holdEpoch = :read';
export const IS_NEWER_TICK =
  'attribute_not_exists(#lastTick) OR #lastTick < :lastTick OR #lastTick > :latestTick';
/** A watch slot is free. Watches last for very different times, so no instant is too far ahead to be valid. */
export const IS_SLOT_FREE = 'attribute_not_exists(#leaseUntil) OR #leaseUntil <= :now';
/** The lease of the pass is free. A lease that ends later than one taken now does not count: the clock was set back since. */
export const IS_LEASE_FREE = `${IS_SLOT_FREE} OR #leaseUntil > :latestLease`;
export const IS_LEASE_AS_TAKEN = '#leaseUntil = :until';
export const IS_SAME_PASS = '#pass = :pass';
export const IS_NO_LATER_PASS = 'attribute_not_exists(#pass) OR #pass <= :pass';
export const IS_NO_LATER_FLOOR_PASS = 'attribute_not_exists(#floorPass) OR #floorPass <= :floorPass';
export const IS_NO_HIGHER_FLOOR = 'attribute_not_exists(#clockFloor) OR #clockFloor <= :clockFloor';
export const HAS_FLOOR_AS_READ = '#clockFloor = :read';
export const IS_OF_LOWER_PASS = '#pass < :pass';
export const HAS_LIMITER_AS_READ = '#limiterRate = :readRate AND #limiterNextAt = :readNextAt';
export const GRANTS_TOKENS = '#limiterRate > :zero';
export const IS_THERE = 'attribute_exists(#partition)';
export const HAS_NO_WAKE_UP = 'attribute_not_exists(#wakeAt)';
export const HAS_WAKE_UP_AS_READ = '#wakeAt = :read';
export const HAS_NAMES_AS_READ = '#waiting = :waiting';
export const IS_ABSENT_OR_OF_OTHER_UID = 'attribute_not_exists(#partition) OR #uid <> :uid';
export const IS_NOT_A_STANDING_DEADLINE =
  'attribute_not_exists(#partition) OR #uid <> :uid OR (#startAt = :start AND #fireAt = :fireAt)';
export const IS_OF_UID = '#uid = :uid';
/** Condition on a sighting: it is the one that was read. */
export const IS_SIGHTING_AS_READ = '#uid = :uid AND #startAt = :since';
export const HAS_NO_HOLDERS = 'attribute_not_exists(#holders)';
export const HAS_NO_WIDE_HOLDS = 'attribute_not_exists(#wide)';
export const HAS_WIDE_HOLDS_AS_READ = '#wide = :wide';
export const HAS_CLAIM_AS_READ = '#claim = :claim';
export const HAS_DIGEST_AS_READ = '#digest = :digestRead';
export const HAS_WRITES_AS_READ = '#writes = :writesRead';
export const HAS_NO_WRITES = 'attribute_not_exists(#writes)';

/** Conditions on the turn of an owner: its lease, and the copies of its number. */
export const HAS_TURN = '#turn = :turn';
export const HAS_TURN_AS_READ = '#turn = :read';
export const IS_TURN_OF_RUN = '#turn = :turn AND #run = :run';
export const IS_NO_LATER_TURN = 'attribute_not_exists(#turn) OR #turn <= :turn';
export const HAS_NO_MARK = 'attribute_not_exists(#wanted)';
