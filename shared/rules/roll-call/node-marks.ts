/** How a node looks in a roll call: one mark that counts most, and the others that hold. */
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { NodeLifecycleConfig } from '../../settings/node-lifecycle.ts';
import { type NodeState, nodeStateOf } from './node-state.ts';

/** A state of a node that people tell apart. */
export type Mark =
  | 'shuttingDown'
  | 'Unknown'
  | 'NotReady'
  | 'neverReported'
  | 'late'
  | 'draining'
  | 'maintained'
  | 'tainted'
  | 'cordoned'
  | 'planned'
  | 'ready';

/** How a mark is shown. Letter and word tell it without a colour. */
export interface MarkLook {
  readonly letter: string;
  readonly word: string;
  /** Red, yellow, blue, grey or green, say. */
  readonly tone: 'bad' | 'warning' | 'notice' | 'muted' | 'good';
}

/** The look of each mark, the one that counts most first. */
export const MARKS: Readonly<Record<Mark, MarkLook>> = {
  shuttingDown: { letter: 'S', word: 'shutting down', tone: 'notice' },
  Unknown: { letter: 'U', word: 'Unknown', tone: 'bad' },
  NotReady: { letter: 'N', word: 'NotReady', tone: 'bad' },
  neverReported: { letter: '?', word: 'never reported', tone: 'warning' },
  late: { letter: 'l', word: 'late', tone: 'warning' },
  draining: { letter: 'D', word: 'draining', tone: 'notice' },
  maintained: { letter: 'M', word: 'in maintenance', tone: 'notice' },
  tainted: { letter: 'T', word: 'tainted', tone: 'warning' },
  cordoned: { letter: 'C', word: 'cordoned', tone: 'muted' },
  planned: { letter: 'm', word: 'maintenance planned', tone: 'muted' },
  ready: { letter: '.', word: 'ready', tone: 'good' },
};

/** The state of a node, and when its last beat came; absent: nobody has seen one. */
type Heard = Omit<NodeState, 'endsPods'> & { readonly beatAt?: EpochMs | undefined };

type Grace = Pick<NodeLifecycleConfig, 'nodeMonitorGracePeriodMs'>;

/** One and a half default intervals of beats: four of them make a grace period. */
const PATIENCE_SHARE = 0.375;

/** How far the silence of a node has come, from 0 (not late) to 1 (its grace period is over), at `now` (ms). */
export const lateness = (
  beatAt: EpochMs | undefined,
  now: EpochMs,
  { nodeMonitorGracePeriodMs: grace }: Grace,
): number => {
  if (beatAt === undefined) return 0;
  const patience = PATIENCE_SHARE * grace;
  return Math.min(1, Math.max(0, (now - beatAt - patience) / (grace - patience)));
};

/** Whether a node that is ready has not been heard for longer than its beats take. */
export const isLate = (
  { ready, beatAt }: Pick<Heard, 'ready' | 'beatAt'>,
  now: EpochMs,
  grace: Grace,
): boolean => ready === 'True' && lateness(beatAt, now, grace) > 0;

/** All marks of a node at `now` (ms), the one that counts most first. `ready` is alone. */
export const marksOf = (line: Heard, now: EpochMs, grace: Grace): readonly [Mark, ...Mark[]] => {
  const holds: Readonly<Record<Exclude<Mark, 'ready'>, boolean>> = {
    shuttingDown: line.isShuttingDown,
    Unknown: line.ready === 'Unknown',
    NotReady: line.ready === 'False',
    neverReported: line.ready === '-',
    late: isLate(line, now, grace),
    draining: line.isDraining,
    maintained: line.maintenance === 'inProgress',
    tainted: line.isTainted,
    cordoned: line.isCordoned,
    planned: line.maintenance === 'planned',
  };
  const [first, ...others] = (Object.keys(holds) as (keyof typeof holds)[]).filter((mark) => holds[mark]);
  return first ? [first, ...others] : ['ready'];
};

/** The marks of a Node whose last beat came at `beatAt`; `undefined`: nobody has seen one, so it is not late. */
export const lookOf = (
  node: Node,
  beatAt: EpochMs | undefined,
  now: EpochMs,
  grace: Grace,
): readonly [Mark, ...Mark[]] => marksOf({ ...nodeStateOf(node), beatAt }, now, grace);
