/** Heartbeat items with what came through relays: readers see the same as if each beat had been sent straight to the API. */

import { NODE_LEASE_NAMESPACE } from '../../kube/types/well-known.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { SeenBatch } from '../../ports/store/commit.ts';
import type { HeartbeatItem, HeartbeatStore } from '../../ports/store/heartbeats.ts';
import { partOf, RELAY_BEATS, RELAY_ROSTERS } from '../../ports/store/heartbeats.ts';
import { isClosed } from '../../rules/relays/closed-roster.ts';
import type { RelayPart, RelayRecord } from '../../rules/relays/relay-items.ts';
import { type RelayedBeat, relayedBeats } from '../../rules/relays/relayed-beats.ts';

/** What is stored of one part of a relay. */
export interface StoredPart extends RelayRecord {
  readonly part: RelayPart;
}

/** The parts of all relays among the items of a scan, without those of relays that were deleted. */
export const partsIn = (items: readonly HeartbeatItem[]): readonly StoredPart[] => {
  const rosters = new Map<string, HeartbeatItem>();
  const beats = new Map<string, HeartbeatItem>();
  for (const item of items) {
    if (item.namespace === RELAY_ROSTERS) rosters.set(item.name, item);
    else if (item.namespace === RELAY_BEATS) beats.set(item.name, item);
  }
  return [...rosters].flatMap(([path, { roster }]) => {
    if (roster && isClosed(roster)) return [];
    const { relayed, workChanges } = beats.get(path) ?? {};
    return {
      part: partOf(path),
      ...(roster ? { roster } : {}),
      ...(relayed ? { beats: relayed } : {}),
      ...optional('workChanges', workChanges),
    };
  });
};

const INSTANTS = ['relayAt', 'plainAt', 'aheadAt'] as const;

/** The item of this node with its beats that came through relays; the item itself if there are none. */
export const withRelayed = (
  item: HeartbeatItem | undefined,
  name: string,
  beat: RelayedBeat | undefined,
): HeartbeatItem | undefined => {
  if (!beat || (item?.uid !== undefined && item.uid !== beat.uid)) return item;
  const entry: HeartbeatItem = item ?? { namespace: NODE_LEASE_NAMESPACE, name };
  const later = INSTANTS.flatMap((instant) => {
    const at = Math.max(beat[instant] ?? 0, entry[instant] ?? 0);
    return at === 0 ? [] : [[instant, at] as const];
  });
  const observedAt = Math.max(entry.observedAt ?? 0, beat.relayAt ?? 0, beat.plainAt ?? 0);
  return { ...entry, uid: beat.uid, ...Object.fromEntries(later), observedAt };
};

/** An item with its relayed beats, and what a commit must check so that no beat has come meanwhile. */
export interface Heard {
  readonly item: HeartbeatItem | undefined;
  readonly stored: HeartbeatItem | undefined;
  readonly relays: readonly SeenBatch[];
}

/** Reads all that is stored of a node's beats, consistently: its entry, and the relays that it names. */
export const readHeard = async (
  heartbeats: Pick<HeartbeatStore, 'read' | 'readRelay'>,
  name: string,
  now: EpochMs,
): Promise<Heard> => {
  const stored = await heartbeats.read({ namespace: NODE_LEASE_NAMESPACE, name });
  const parts = (stored?.relays ?? []).map(partOf);
  const records = await Promise.all(parts.map((part) => heartbeats.readRelay(part)));
  const relays = parts.map((part, place) => ({ part, sequence: records[place]?.beats?.sequence }));
  const beat =
    stored?.uid === undefined ? undefined : relayedBeats(records, now).get(`${name}/${stored.uid}`);
  return { item: withRelayed(stored, name, beat), stored, relays };
};
