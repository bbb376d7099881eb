import type { EpochMs } from '../../kube/values/time.ts';
import type { HeartbeatStore } from '../../ports/store/heartbeats.ts';
import type { RelayRoster, RosterEntry } from '../../rules/relays/relay-items.ts';

/** The `workRevision` of each Node of a roster, and the entries whose Nodes are gone. */
export interface RosterWork {
  readonly work: Readonly<Record<string, string>>;
  readonly gone: readonly RosterEntry[];
}

/** Reads the entries of all nodes of a roster: 1 RRU for each. */
export const workOfRoster = async (
  heartbeats: Pick<HeartbeatStore, 'entries'>,
  { entries }: RelayRoster,
  now: EpochMs,
): Promise<RosterWork> => {
  const valid = entries.filter(({ untilAt }) => untilAt > now);
  const items = await heartbeats.entries(valid.map(({ name }) => name));
  const found = new Map(items.map((item) => [item.name, item]));
  const isGone = ({ name, uid }: RosterEntry): boolean => found.get(name)?.uid !== uid;
  const there = valid.filter((entry) => !isGone(entry));
  return {
    work: Object.fromEntries(there.map(({ name }) => [name, String(found.get(name)?.workRevision ?? 0)])),
    gone: valid.filter(isGone),
  };
};
