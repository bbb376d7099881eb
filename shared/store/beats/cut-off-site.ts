/** Whether the site of one node is cut off, by the same rule by which the monitor judges all sites. */
import type { EpochMs } from '../../kube/values/time.ts';
import { type HeartbeatItem, type HeartbeatStore, partOf, partPath } from '../../ports/store/heartbeats.ts';
import { type CutOffSite, type PartitionConfig, siteBehind } from '../../rules/relays/partition.ts';
import { relayedBeats } from '../../rules/relays/relayed-beats.ts';
import { type StoredPart, withRelayed } from './relayed-items.ts';

/** What is read for it. */
export type CutOffReads = Pick<HeartbeatStore, 'readRelay' | 'entries'>;

/** Parts of a relay that are read at most, of 100 nodes each: a larger site is judged by these. */
const MOST_PARTS = 10;
/** Parts of other relays, which may have heard nodes of the site. */
const MOST_OTHERS = 20;

const keyOf = (node: Pick<HeartbeatItem, 'name' | 'uid'> | undefined): string => `${node?.name}/${node?.uid}`;

const readPart = async (reads: CutOffReads, path: string): Promise<StoredPart> => {
  const part = partOf(path);
  return { part, ...(await reads.readRelay(part)) };
};

/** The parts of a relay: places are given away from part 0 on. */
const readParts = async (reads: CutOffReads, relay: string, own: number): Promise<readonly StoredPart[]> => {
  const parts = [await readPart(reads, partPath({ relay, part: own }))];
  for (let part = 0; part < MOST_PARTS; part += 1) {
    if (part === own) continue;
    const read = await readPart(reads, partPath({ relay, part }));
    if (!read.roster) break;
    parts.push(read);
  }
  return parts;
};

const entriesOf = async (
  reads: CutOffReads,
  parts: readonly StoredPart[],
): Promise<readonly HeartbeatItem[]> => {
  const names = parts.map(({ roster }) => (roster?.entries ?? []).map(({ name }) => name));
  return (await Promise.all(names.map((some) => reads.entries(some)))).flat();
};

/** When each node (`name/uid`) of the site was last heard in any way. */
const heardIn = async (
  reads: CutOffReads,
  parts: readonly StoredPart[],
  now: EpochMs,
): Promise<ReadonlyMap<string, EpochMs | undefined>> => {
  const entries = await entriesOf(reads, parts);
  const read = new Set(parts.map(({ part }) => partPath(part)));
  const others = new Set(entries.flatMap(({ relays = [] }) => relays.filter((path) => !read.has(path))));
  const records = await Promise.all([...others].slice(0, MOST_OTHERS).map((path) => readPart(reads, path)));
  const beats = relayedBeats([...parts, ...records], now);
  // An entry may have expired while the beats of its node came through the relay.
  const relayed = [...beats].map(
    ([key, { relayAt = 0, plainAt = 0 }]) => [key, Math.max(relayAt, plainAt)] as const,
  );
  return new Map([
    ...relayed,
    ...entries.map((entry) => {
      const key = keyOf(entry);
      return [key, withRelayed(entry, entry.name, beats.get(key))?.observedAt] as const;
    }),
  ]);
};

/** The cut-off site of the Node with this entry; `undefined` if it has none. */
export const readCutOffSite = async (
  reads: CutOffReads,
  entry: Pick<HeartbeatItem, 'name' | 'uid' | 'relays'> | undefined,
  {
    now,
    config,
  }: {
    readonly now: EpochMs;
    readonly config: PartitionConfig;
  },
): Promise<CutOffSite | undefined> => {
  for (const path of entry?.relays ?? []) {
    const { relay, part } = partOf(path);
    const parts = await readParts(reads, relay, part);
    const heard = await heardIn(reads, parts, now);
    const heardAt = ({ roster }: StoredPart, place: number) => heard.get(keyOf(roster?.entries[place]));
    const site = siteBehind(relay, parts, heardAt, now, config);
    if (site?.nodes.has(keyOf(entry))) return site;
  }
  return undefined;
};
