/** Sites whose uplink is lost: their nodes become Unknown, but nobody is evicted for that unless a policy says so. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { EventRecorder, EventText } from '../../../shared/ports/process/event-recorder.ts';
import { listeningSince } from '../../../shared/rules/absences/silence.ts';
import { type RelayView, relayView, sitesToHold } from '../../../shared/rules/relays/partition.ts';
import { type RelaySummary, relaySummaries } from '../../../shared/rules/relays/relay-summary.ts';
import { zoneNameOf } from '../../../shared/rules/zones/zone-names.ts';
import type { Judgement, Viewpoint } from './judgement.ts';
import type { Fleet } from './read-fleet.ts';

const keyOf = ({ name, uid }: { readonly name: string; readonly uid: string }): string => `${name}/${uid}`;

/** What the pass finds about relays. */
export interface FoundRelays extends RelayView {
  readonly summaries: readonly RelaySummary[];
}

/** The relays, as the pass finds them. */
export const relaysOf = (
  { nodes, heard, relays }: Fleet,
  { hearing, now, config }: Pick<Viewpoint, 'hearing' | 'now' | 'config'>,
): FoundRelays => {
  if (relays.length === 0) return { silent: [], cutOff: [], unsure: [], summaries: [] };
  const byKey = new Map(nodes.map((row, index) => [keyOf(row), { row, heardAt: heard[index]?.observedAt }]));
  const view = relayView(relays, (node) => byKey.get(node)?.heardAt, listeningSince(hearing), now, config);
  const zoneOf = (node: string): string | undefined => {
    const row = byKey.get(node)?.row;
    return row && zoneNameOf(row.zone);
  };
  return { ...view, summaries: relaySummaries(relays, view, zoneOf) };
};

/** The nodes (`name/uid`) of all sites that are cut off, as far as anybody can know. */
export const nodesCutOff = (view: RelayView): ReadonlySet<string> =>
  new Set(sitesToHold(view).flatMap(({ nodes }) => [...nodes]));

/** While its site is cut off, a node does not wait for a NoExecute taint, unless its policy says `Evict`. The same array if no site is. */
export const holdCutOff = (
  judged: readonly Judgement[],
  cutOff: ReadonlySet<string>,
  { settings }: Pick<Viewpoint, 'settings'>,
  labelsOf: (name: string, uid: string) => Parameters<Viewpoint['settings']['node']>[1],
): readonly Judgement[] => {
  if (cutOff.size === 0) return judged;
  return judged.map((one) => {
    const { row, noExecute } = one;
    if (noExecute.action !== 'queue' || !cutOff.has(keyOf(row))) return one;
    const { onPartition } = settings.node(row.zone, labelsOf(row.name, row.uid));
    return onPartition === 'Evict' ? one : { ...one, noExecute: { action: 'none' } };
  });
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
