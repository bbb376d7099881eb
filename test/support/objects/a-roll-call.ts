/** Nodes, zones and roll calls for tests, as a fleet at `NOW` may have them. */
import type { NodeLine } from '../../../shared/rules/roll-call/node-line.ts';
import type { RollCall, WorkLine, WorkView } from '../../../shared/rules/roll-call/roll-call.ts';
import { type SeenZone, zoneLines } from '../../../shared/rules/roll-call/zone-lines.ts';

export const NOW = 1_700_000_000_000;

export const aNode = (name: string, more: Partial<NodeLine> = {}): NodeLine => ({
  zone: 'a',
  name,
  ready: 'True',
  beatAt: NOW - 3_000,
  isCordoned: false,
  isDraining: false,
  isShuttingDown: false,
  endsPods: false,
  isTainted: false,
  isEvicting: false,
  taints: [],
  pods: 3,
  leaving: [],
  held: [],
  evictions: [],
  ...more,
});

export const aZone = (id: string, more: Partial<SeenZone> = {}): SeenZone => ({
  id,
  key: `:\0:${id}`,
  state: 'Normal',
  limiter: { rate: 0.1, nextAt: NOW + 7_000 },
  waiting: [],
  ...more,
});

export const aRollCall = (
  nodes: readonly NodeLine[],
  zones: readonly SeenZone[] = [aZone('a')],
  quietUntil = 0,
  more: Partial<WorkView> = {},
): RollCall => ({
  now: NOW,
  nodes,
  zones: zoneLines(nodes, zones),
  quietUntil,
  work: [],
  waitingPods: [],
  ...more,
});

export const aWorkload = (name: string, more: Partial<WorkLine> = {}): WorkLine => ({
  kind: 'deployment',
  namespace: 'default',
  name,
  wanted: 3,
  ready: 3,
  ...more,
});

/** Silent, and not tainted yet. */
export const SILENT = {
  ready: 'Unknown',
  beatAt: NOW - 125_000,
  taints: ['unreachable:NoSchedule'],
} as const;

/** Silent and tainted; one pod has left, another one leaves. */
export const EVICTED = {
  ...SILENT,
  isTainted: true,
  isEvicting: true,
  taints: ['unreachable:NoSchedule', 'unreachable:NoExecute'],
  pods: 2,
  leaving: ['web-9'],
  evictions: [
    { namespace: 'default', name: 'web-1', fireAt: NOW + 9_000, reason: 'tolerates unreachable for 15s' },
  ],
} as const;

/** What is stored of a zone where nobody is evicted. */
export const STOPPED = { state: 'FullDisruption', limiter: { rate: 0, nextAt: 0 } } as const;

/** What a node reports of its shutdown. */
export const A_SHUTDOWN = {
  id: 's1',
  phase: 1,
  phases: 2,
  phaseSeconds: 20,
  remainingSeconds: 30,
  totalSeconds: 30,
};
