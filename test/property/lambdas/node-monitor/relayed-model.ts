/** What a pass finds of relays, written as plainly as it can be: by names, each Node against each entry of each roster. */

import type { EpochMs } from '../../../../shared/kube/values/time.ts';
import type { HeartbeatItem } from '../../../../shared/ports/store/heartbeats.ts';
import type { NodeHealthRow } from '../../../../shared/rules/nodes/node-health.ts';
import { unpackAges } from '../../../../shared/rules/relays/packed-ages.ts';
import type { RelayedAge } from '../../../../shared/rules/relays/relay-items.ts';
import { zoneNameOf } from '../../../../shared/rules/zones/zone-names.ts';
import type { StoredPart } from '../../../../shared/store/beats/relayed-items.ts';

/** All that is stored at the start of a pass, and what the pass goes by. */
export interface Picture {
  readonly nodes: readonly NodeHealthRow[];
  readonly items: readonly HeartbeatItem[];
  readonly parts: readonly StoredPart[];
  readonly now: EpochMs;
  readonly clockFloor: EpochMs;
  readonly graceMs: number;
}

type Instant = 'relayAt' | 'plainAt' | 'aheadAt';
const INSTANTS: readonly Instant[] = ['relayAt', 'plainAt', 'aheadAt'];

const ageAt = ({ roster, beats }: StoredPart, place: number): RelayedAge | undefined => {
  const entry = roster?.entries[place];
  if (!entry || !beats || entry.since > beats.roster) return undefined;
  return unpackAges(beats.ages)[place] ?? undefined;
};

const isEntryOf = (part: StoredPart, place: number, { name, uid }: NodeHealthRow): boolean => {
  const entry = part.roster?.entries[place];
  return entry?.name === name && entry.uid === uid;
};

/** All that relays say of a Node: instants by source, in no order. */
const saidOf = (node: NodeHealthRow, { parts, now }: Picture): readonly (readonly [Instant, EpochMs])[] =>
  parts.flatMap((part) =>
    (part.roster?.entries ?? []).flatMap((_, place) => {
      const age = ageAt(part, place);
      if (!age || !part.beats || !isEntryOf(part, place, node)) return [];
      const { receivedAt, aheadAt } = part.beats;
      const at = (receivedAt > now + 1_000 ? now : receivedAt) - age.ageMs;
      const heard = [age.isPlain ? 'plainAt' : 'relayAt', at] as const;
      return aheadAt === undefined ? [heard] : [heard, ['aheadAt', aheadAt] as const];
    }),
  );

/** The item of each Node as if its relayed beats had been sent straight to the API. */
export const heardItems = (picture: Picture): readonly (HeartbeatItem | undefined)[] =>
  picture.nodes.map((node) => {
    const item = picture.items.find(({ name, uid }) => name === node.name && uid !== undefined);
    const said = saidOf(node, picture);
    if (said.length === 0 || (item && item.uid !== node.uid)) return item;
    const latest = (instant: Instant) =>
      Math.max(item?.[instant] ?? 0, ...said.flatMap(([source, at]) => (source === instant ? [at] : [])));
    const instants = INSTANTS.flatMap((instant) =>
      latest(instant) === 0 ? [] : [[instant, latest(instant)] as const],
    );
    const beats = said.flatMap(([source, at]) => (source === 'aheadAt' ? [] : [at]));
    return {
      namespace: 'kube-node-lease',
      name: node.name,
      ...item,
      uid: node.uid,
      ...Object.fromEntries(instants),
      observedAt: Math.max(item?.observedAt ?? 0, ...beats),
    };
  });

const keyOf = ({ name, uid }: { readonly name: string; readonly uid: string }): string => `${name}/${uid}`;

const lastBatchOf = (parts: readonly StoredPart[]): EpochMs =>
  Math.max(0, ...parts.map(({ beats }) => beats?.receivedAt ?? 0));

/** The site of a relay that has been silent since its last batch. */
const siteOf = (relay: string, parts: readonly StoredPart[], picture: Picture) => {
  const heard = heardItems(picture);
  const heardAt = new Map(picture.nodes.map((node, place) => [keyOf(node), heard[place]?.observedAt]));
  const lastBatchAt = lastBatchOf(parts);
  const all = parts.flatMap(({ roster }) => (roster?.entries ?? []).map(keyOf));
  const living = parts.flatMap((part) =>
    (part.roster?.entries ?? []).flatMap((entry, place) => {
      const age = ageAt(part, place);
      return age && age.ageMs <= picture.graceMs ? [keyOf(entry)] : [];
    }),
  );
  const nodes = new Set(living.filter((key) => heardAt.get(key) !== undefined));
  const isHeard = all.some((key) => (heardAt.get(key) ?? 0) > lastBatchAt);
  return isHeard || living.length < 2 || nodes.size === 0 ? [] : [{ relay, lastBatchAt, nodes }];
};

/** What a pass tells of relays. */
export const foundRelays = (picture: Picture) => {
  const relays = [...new Set(picture.parts.map(({ part }) => part.relay))].map((relay) => {
    const own = picture.parts.filter(({ part }) => part.relay === relay);
    return { relay, own, lastBatchAt: lastBatchOf(own) };
  });
  const isLate = (at: EpochMs): boolean => picture.now - at > picture.graceMs / 2;
  const silent = relays
    .filter(({ lastBatchAt }) => isLate(Math.max(lastBatchAt, picture.clockFloor)))
    .map(({ relay }) => relay);
  const sites = relays
    .filter(({ lastBatchAt }) => isLate(lastBatchAt))
    .flatMap(({ relay, own }) => siteOf(relay, own, picture));
  const cutOff = sites.filter(({ relay }) => silent.includes(relay));
  const stateOf = (relay: string): string => {
    if (cutOff.some((site) => site.relay === relay)) return 'CutOff';
    return silent.includes(relay) ? 'Silent' : 'Ready';
  };
  const summaries = relays.map(({ relay, own }) => {
    const on = new Set(own.flatMap(({ roster }) => (roster?.entries ?? []).map(keyOf)));
    const nodes = picture.nodes.filter((node) => on.has(keyOf(node)));
    const zones = [...new Set(nodes.map(({ zone }) => zoneNameOf(zone)))].sort().slice(0, 4);
    const parts = Math.max(...own.map(({ part }) => part.part + 1));
    return { relay, state: stateOf(relay), nodes: nodes.length, parts, zones };
  });
  return { silent, cutOff, unsure: sites.filter(({ relay }) => !silent.includes(relay)), summaries };
};
