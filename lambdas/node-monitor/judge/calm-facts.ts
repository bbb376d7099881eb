/** What a pass says about the next ones, where they are left out if they can find nothing. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import type { PassCalm, PassRecord } from '../../../shared/ports/store/control-store.ts';
import { calmUntil, nodesCounter } from '../../../shared/rules/nodes/calm.ts';
import type { LifecycleSettings } from '../../../shared/rules/nodes/policy-settings.ts';
import { partsByRelay, relaySilentAt } from '../../../shared/rules/relays/partition.ts';
import type { Labels } from '../../../shared/rules/zones/zone-names.ts';
import type { NodeLifecycleConfig } from '../../../shared/settings/node-lifecycle.ts';
import type { PassReport } from '../report.ts';
import type { Judgement } from './judgement.ts';
import type { Fleet } from './read-fleet.ts';

type Done = Extract<PassReport, { outcome: 'done' }>;

/** What a pass has read, found and written. */
interface OverPass {
  /** As it began. */
  readonly pass: PassRecord;
  /** When it began (ms). */
  readonly now: EpochMs;
  /** The counter of Nodes, read before. */
  readonly counter: number;
  readonly policies: {
    readonly settings: Pick<LifecycleSettings, 'drains' | 'needsLabels'>;
    labelsOf(name: string, uid: string): Labels | undefined;
  };
  readonly relays: Fleet['relays'];
  /** The nodes that are left, as judged after the writes. */
  readonly fleet: readonly Judgement[];
  readonly report: Done;
}

const isComplete = ({ errors, postponed, conflicts }: Done): boolean =>
  errors.length + postponed + conflicts === 0;

const isInTime = ({ aheadNodes, takenBack, furthestAheadMs }: Done): boolean =>
  aheadNodes + takenBack + furthestAheadMs === 0;

const dependsOnTime = ({ policies: { settings, labelsOf }, fleet, report }: OverPass): boolean =>
  settings.drains ||
  report.awaitsSilences ||
  (settings.needsLabels && fleet.some(({ row: { name, uid } }) => labelsOf(name, uid) === undefined));

/** See `calmUntil`. */
export const calmAfter = (over: OverPass, config: NodeLifecycleConfig): PassCalm => {
  const { pass, now, fleet, report } = over;
  const seen = nodesCounter(pass, over.counter, now);
  const facts = {
    now,
    counterSince: seen.counterSince,
    isComplete: isComplete(report),
    isInTime: isInTime(report),
    dependsOnTime: dependsOnTime(over),
    nodes: fleet,
    zones: report.zones,
    relaysSilentAt: partsByRelay(over.relays).map(([, parts]) => relaySilentAt(parts, config)),
  };
  return { ...seen, calmUntil: calmUntil(facts, config) };
};
