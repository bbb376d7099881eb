/** Sites whose uplink is lost: their nodes become Unknown, but nobody is evicted for that unless a policy says so. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { EventRecorder, EventText } from '../../../shared/ports/process/event-recorder.ts';
import { listeningSince } from '../../../shared/rules/absences/silence.ts';
import {
  type CutOffSite,
  partsByRelay,
  type RelayView,
  relayView,
  siteBehind,
  sitesToHold,
} from '../../../shared/rules/relays/partition.ts';
import { type RelaySummary, relayStates, relaySummary } from '../../../shared/rules/relays/relay-summary.ts';
import { zoneNameOf } from '../../../shared/rules/zones/zone-names.ts';
import type { PlacedPart } from './fleet-places.ts';
import type { Judgement, Viewpoint } from './judgement.ts';
import type { Fleet } from './read-fleet.ts';
import { mapInSlices, type Pause } from './slices.ts';

const keyOf = ({ name, uid }: { readonly name: string; readonly uid: string }): string => `${name}/${uid}`;

/** What the pass finds about relays. */
export interface FoundRelays extends RelayView {
  readonly summaries: readonly RelaySummary[];
}

/** Names of zones by their keys: many nodes share one. */
const zoneNames = (): ((key: string) => string) => {
  const known = new Map<string, string>();
  return (key) => {
    const name = known.get(key) ?? zoneNameOf(key);
    known.set(key, name);
    return name;
  };
};

/** Relays between two pauses: each may have up to 100,000 nodes. */
const ONE_RELAY = 1;

/** The relays, as the pass finds them. */
export const relaysOf = async (
  { nodes, heard, relays: parts }: Fleet,
  { hearing, now, config }: Pick<Viewpoint, 'hearing' | 'now' | 'config'>,
  pause?: Pause,
): Promise<FoundRelays> => {
  const relays = partsByRelay(parts);
  const nodeOf = ({ places }: PlacedPart, place: number): number => places[place] ?? -1;
  const heardAt = (part: PlacedPart, place: number) => heard.observedAt(nodeOf(part, place));
  const zoneName = zoneNames();
  const on = { nodeOf, zoneOf: (node: number) => zoneName(nodes[node]?.zone ?? '') };
  const siteOf = ([relay, own]: (typeof relays)[number]) => siteBehind(relay, own, heardAt, now, config);
  const sites = (await mapInSlices(relays, siteOf, pause, ONE_RELAY)).filter((site) => site !== undefined);
  const view = relayView(relays, sites, listeningSince(hearing), now, config);
  const stateOf = relayStates(view);
  const summaryOf = ([relay, own]: (typeof relays)[number]) => relaySummary(relay, own, stateOf(relay), on);
  return { ...view, summaries: await mapInSlices(relays, summaryOf, pause, ONE_RELAY) };
};

/** The nodes (`name/uid`) of all sites that are cut off, as far as anybody can know. */
export const nodesCutOff = async (view: RelayView, pause?: Pause): Promise<ReadonlySet<string>> => {
  const all = new Set<string>();
  const add = ({ nodes }: CutOffSite): void => {
    for (const node of nodes) all.add(node);
  };
  await mapInSlices(sitesToHold(view), add, pause, ONE_RELAY);
  return all;
};

/** While its site is cut off, a node does not wait for a NoExecute taint, unless its policy says `Evict`. The same array if no site is. */
export const holdCutOff = async (
  judged: readonly Judgement[],
  cutOff: ReadonlySet<string>,
  { settings }: Pick<Viewpoint, 'settings'>,
  labelsOf: (name: string, uid: string) => Parameters<Viewpoint['settings']['node']>[1],
  pause?: Pause,
): Promise<readonly Judgement[]> => {
  if (cutOff.size === 0) return judged;
  const held = (one: Judgement): Judgement => {
    const { row, noExecute } = one;
    if (noExecute.action !== 'queue' || !cutOff.has(keyOf(row))) return one;
    const { onPartition } = settings.node(row.zone, labelsOf(row.name, row.uid));
    return onPartition === 'Evict' ? one : { ...one, noExecute: { action: 'none' } };
  };
  return mapInSlices(judged, held, pause);
};

const sitePartitioned = (relay: string, nodes: number): EventText => ({
  type: 'Warning',
  reason: 'SitePartitioned',
  message: `relay ${relay} and all its ${nodes} nodes have fallen silent together: the site seems to have lost its uplink`,
  component: 'node-controller',
});

/** Records one Event for each site that is cut off, however many nodes it has and however long it lasts. */
export const recordPartitions = async (
  { recorder }: { readonly recorder: EventRecorder },
  { cutOff }: RelayView,
): Promise<void> => {
  const target = (relay: string) => ({
    kind: 'Relay',
    apiVersion: 'rollcall.dev/v1',
    namespace: '',
    name: relay,
    uid: relay,
  });
  const occasion = (at: EpochMs): string => String(at);
  await Promise.all(
    cutOff.map(({ relay, nodes, lastBatchAt }) =>
      recorder.record(target(relay), sitePartitioned(relay, nodes.size), occasion(lastBatchAt)),
    ),
  );
};
