import type { Notice, Outbox } from '../../../shared/ports/store/outbox.ts';

const byPlace = (one: Notice, other: Notice): number =>
  one.storedAt - other.storedAt || Number(one.key) - Number(other.key);

/** Events that wait, in memory. They do not expire. */
export const createMemoryOutbox = (): Outbox => {
  const sinks = new Map<string, Map<string, Notice>>();
  let added = 0;
  const of = (sink: string): Map<string, Notice> => {
    const own = sinks.get(sink) ?? new Map<string, Notice>();
    sinks.set(sink, own);
    return own;
  };
  return {
    add: async (sink, notices) => {
      for (const notice of notices) {
        added += 1;
        of(sink).set(String(added), { ...notice, key: String(added) });
      }
    },
    waiting: async (sink, most) => [...of(sink).values()].toSorted(byPlace).slice(0, most),
    remove: async (sink, keys) => {
      for (const key of keys) of(sink).delete(key);
    },
  };
};
