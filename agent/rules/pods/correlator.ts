/** Which Events are written, and which only counted. Source: client-go v1.34 tools/record `EventCorrelator`. */

/** What makes two Events the same. */
export interface EventKey {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly fieldPath: string;
  readonly type: string;
  readonly reason: string;
  readonly message: string;
}

/** An Event that was written. */
export interface WrittenEvent {
  /** Name of the object. */
  readonly name: string;
  readonly count: number;
}

interface Budget {
  readonly tokens: number;
  readonly at: number;
}

export interface Correlator {
  /** By key, the one that was seen last at the end. */
  readonly written: ReadonlyMap<string, WrittenEvent>;
  /** What is left for an object, by object. */
  readonly budgets: ReadonlyMap<string, Budget>;
}

export type EventStep =
  | { readonly step: 'drop' }
  | { readonly step: 'create' }
  | { readonly step: 'count'; readonly name: string; readonly count: number };

export const EMPTY_CORRELATOR: Correlator = { written: new Map(), budgets: new Map() };

/** Keys that are remembered. */
const MOST_KEYS = 4096;
/** Events that an object may have at once, and the time after which it may have one more (ms). */
const BURST = 25;
const REFILL_MS = 300_000;

const keyOf = (key: EventKey): string => JSON.stringify(Object.values(key));
const objectOf = ({ kind, namespace, name, uid }: EventKey): string =>
  JSON.stringify([kind, namespace, name, uid]);

/** The map with this entry at its end, and not more entries than are remembered. */
const withLast = <T>(map: ReadonlyMap<string, T>, key: string, value: T): ReadonlyMap<string, T> => {
  const next = new Map(map);
  next.delete(key);
  next.set(key, value);
  const [oldest] = next.keys();
  if (next.size > MOST_KEYS && oldest !== undefined) next.delete(oldest);
  return next;
};

/** What to do with an Event at `uptime` (ms): an object that has had too many lately gets none. */
export const nextStep = (
  state: Correlator,
  key: EventKey,
  uptime: number,
): { readonly state: Correlator; readonly todo: EventStep } => {
  const object = objectOf(key);
  const { tokens, at } = state.budgets.get(object) ?? { tokens: BURST, at: uptime };
  const left = Math.min(BURST, tokens + (uptime - at) / REFILL_MS);
  if (left < 1) return { state, todo: { step: 'drop' } };
  const budgets = withLast(state.budgets, object, { tokens: left - 1, at: uptime });
  const known = state.written.get(keyOf(key));
  const todo: EventStep = known
    ? { step: 'count', name: known.name, count: known.count + 1 }
    : { step: 'create' };
  return { state: { ...state, budgets }, todo };
};

/** The Event was written. */
export const afterWrite = (state: Correlator, key: EventKey, written: WrittenEvent): Correlator => ({
  ...state,
  written: withLast(state.written, keyOf(key), written),
});
