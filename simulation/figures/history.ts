/** Records what happened to nodes, pods and zones, from the commits and passes of a run. */

import type { Node, Pod } from '../../shared/kube/types/core.ts';
import { LABEL_ZONE, TAINT_UNREACHABLE } from '../../shared/kube/types/well-known.ts';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import type { LiveRow } from '../../shared/ports/store/rows.ts';
import { liveRow } from '../../shared/ports/store/rows.ts';
import type { PlannedToleration } from '../plan/plan.ts';
import type { Committed, PassReport } from '../plane/control-plane-types.ts';

/** Something that happened to a node, a pod or a zone. `dueAt`: the earliest instant at which the pod had to leave. */
export type Happening = { readonly at: EpochMs; readonly zone: string } & (
  | { readonly kind: 'unknown' | 'ready' | 'notReady' | 'tainted' | 'untainted'; readonly node: string }
  | { readonly kind: 'evicted'; readonly node: string; readonly pod: string; readonly dueAt: EpochMs }
  | { readonly kind: 'placed'; readonly node: string; readonly pod: string }
  | { readonly kind: 'deleted'; readonly node: string; readonly pod: string }
  | { readonly kind: 'joined' | 'left'; readonly node: string }
  | { readonly kind: 'addressed'; readonly node: string; readonly podCidrs: readonly string[] }
  | { readonly kind: 'zone'; readonly state: string; readonly rate: number }
);

/** What happened so far in a run. */
export interface History {
  readonly happenings: readonly Happening[];
  /** Number of commits by resource. */
  readonly commits: ReadonlyMap<string, number>;
  /** Number of passes. */
  readonly passes: number;
  onCommit(commit: Committed): void;
  onPass(report: PassReport, at: EpochMs): void;
}

const NODE_STATES = { True: 'ready', False: 'notReady', Unknown: 'unknown' } as const;

interface Seen {
  readonly at: EpochMs;
  readonly before: LiveRow | undefined;
  readonly after: LiveRow | undefined;
}

const podCidrsOf = (row: LiveRow | undefined): readonly string[] => {
  const node: Node | undefined = row?.object;
  return node?.spec?.podCIDRs ?? [];
};

const nodeHappenings = ({ at, before, after }: Seen): readonly Happening[] => {
  const [was, is] = [before?.facts.node, after?.facts.node];
  const row = after ?? before;
  if (!row) return [];
  const about = {
    at,
    zone: row.object.metadata.labels?.[LABEL_ZONE] ?? '',
    node: row.key.name,
  };
  if (!after || !is) return [{ ...about, kind: 'left' }];
  const podCidrs = podCidrsOf(after);
  const [had, has] = [(was?.noExecute.length ?? 0) > 0, is.noExecute.length > 0];
  return [
    ...(is.ready && is.ready !== was?.ready ? [{ ...about, kind: NODE_STATES[is.ready] }] : []),
    ...(before ? [] : [{ ...about, kind: 'joined' as const }]),
    ...(podCidrs.length > podCidrsOf(before).length
      ? [{ ...about, kind: 'addressed' as const, podCidrs }]
      : []),
    ...(had === has ? [] : [{ ...about, kind: has ? ('tainted' as const) : ('untainted' as const) }]),
  ];
};

const beginsToGo = ({ before, after }: Seen): boolean =>
  before !== undefined &&
  before.facts.pod?.deletionTimestamp === undefined &&
  (after === undefined || after.facts.pod?.deletionTimestamp !== undefined);

/** Whether the pod goes because of a taint. Others are deleted by rollouts, or by the garbage collector. */
const isEvicted = ({ before, after }: Seen): boolean =>
  [before, after].some((row) => {
    const pod = row?.object as Pod | undefined;
    return pod?.status?.conditions?.some(({ reason }) => reason === 'DeletionByTaintManager');
  });

const isPlaced = ({ before, after }: Seen): boolean =>
  before !== undefined && !before.facts.pod?.nodeName && !!after?.facts.pod?.nodeName;

/** How long the pod of a workload tolerates a node that is not reachable. */
const tolerationOf = ({ spec: { tolerations = [] } }: Pod): PlannedToleration => {
  const found = tolerations.find(({ key, effect }) => key === TAINT_UNREACHABLE && effect === 'NoExecute');
  return found ? (found.tolerationSeconds ?? 'forever') : 'none';
};

/** The earliest instant at which a pod had to leave: the end of its toleration after its node's taint. */
const dueAt = (toleration: PlannedToleration, since: EpochMs): EpochMs =>
  typeof toleration === 'number' ? since + toleration * 1000 : since;

/** `zones`: by name of the node. `tolerations`: by name of the pod, for those that belong to no workload. */
export const createHistory = (
  zones: ReadonlyMap<string, string>,
  tolerations: ReadonlyMap<string, PlannedToleration>,
): History => {
  const happenings: Happening[] = [];
  const commits = new Map<string, number>();
  const taintedSince = new Map<string, EpochMs>();
  const zoneStates = new Map<string, string>();
  let passes = 0;

  const ofNode = (seen: Seen): void => {
    happenings.push(...nodeHappenings(seen));
    const { before, after } = seen;
    const since = after?.facts.node?.noExecute[0]?.since;
    // A swap of one taint for another keeps stored deadlines, so the time of pods counts from the first taint.
    const isSwap = (before?.facts.node?.noExecute.length ?? 0) > 0;
    if (after && since !== undefined && !isSwap) taintedSince.set(after.key.name, since);
  };
  const ofPod = (seen: Seen): void => {
    const row = seen.before;
    const placedOn = seen.after?.facts.pod?.nodeName ?? '';
    if (row && isPlaced(seen)) {
      const zone = zones.get(placedOn) ?? '';
      happenings.push({ at: seen.at, zone, kind: 'placed', node: placedOn, pod: row.key.name });
    }
    const node = row?.facts.pod?.nodeName;
    if (!row || node === undefined || !beginsToGo(seen)) return;
    const pod = row.key.name;
    if (!isEvicted(seen)) {
      happenings.push({ at: seen.at, zone: zones.get(node) ?? '', kind: 'deleted', node, pod });
      return;
    }
    const toleration = tolerations.get(pod) ?? tolerationOf(row.object as Pod);
    const due = dueAt(toleration, taintedSince.get(node) ?? seen.at);
    happenings.push({ at: seen.at, zone: zones.get(node) ?? '', kind: 'evicted', node, pod, dueAt: due });
  };
  return {
    happenings,
    commits,
    get passes() {
      return passes;
    },
    onCommit: ({ at, change: { before, after } }) => {
      const resource = (after ?? before)?.key.resource ?? '';
      commits.set(resource, (commits.get(resource) ?? 0) + 1);
      const seen = { at, before: liveRow(before), after: liveRow(after) };
      if (resource === 'nodes') ofNode(seen);
      if (resource === 'pods') ofPod(seen);
    },
    onPass: (report, at) => {
      if (report.outcome === 'skipped') return;
      passes += 1;
      for (const { zone, state, rate } of report.zones) {
        const text = `${state} ${rate}`;
        if (zoneStates.get(zone) !== text) happenings.push({ at, zone, kind: 'zone', state, rate });
        zoneStates.set(zone, text);
      }
    },
  };
};
