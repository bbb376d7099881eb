/** What the smoke test waits for, and what it says where that does not come. */
import { TAINT_UNREACHABLE } from '../../../shared/kube/types/well-known.ts';
import type { Seen } from './ports.ts';

/** A beat is judged by the next pass of the node monitor, each 5 s by default. */
const AFTER_BEAT_MS = 15_000;
/** From the end of the grace period. */
const LATE_MS = 10_000;
/** From Unknown: the message to the function that taints, and its cold start. */
const TAINT_MS = 15_000;

/** A state of the node for which the test waits. */
export interface Step {
  /** What is printed before the time that it took. */
  readonly done: string;
  readonly missing: string;
  readonly withinMs: number;
  readonly isDone: (seen: Seen) => boolean;
  /** What of an explanation says why not. */
  readonly question: 'health' | 'taint';
  readonly remedy: string;
}

const isTainted = ({ noExecute }: Seen): boolean => noExecute.includes(TAINT_UNREACHABLE);

const MONITOR = 'do passes of the node monitor come to their end? docs/runbook.md#node-monitor-silent';

/** After the first beat. */
export const READY: Step = {
  done: 'Ready by a beat',
  missing: 'not Ready by a beat',
  withinMs: AFTER_BEAT_MS,
  isDone: ({ ready }) => ready === 'True',
  question: 'health',
  remedy: MONITOR,
};

/** After the last beat. `graceMs`: the grace period. */
export const unknownAfter = (graceMs: number): Step => ({
  done: `silent, with a grace period of ${graceMs / 1000} s: Unknown`,
  missing: `silent, with a grace period of ${graceMs / 1000} s, and not Unknown`,
  withinMs: graceMs + LATE_MS,
  isDone: ({ ready }) => ready === 'Unknown',
  question: 'health',
  remedy: `does a policy give nodes a longer grace period? If not, ${MONITOR}`,
});

/** After Unknown. */
export const TAINTED: Step = {
  done: `tainted ${TAINT_UNREACHABLE}:NoExecute`,
  missing: `Unknown, and not tainted ${TAINT_UNREACHABLE}:NoExecute`,
  withinMs: TAINT_MS,
  isDone: isTainted,
  question: 'taint',
  remedy:
    'does node-eviction handle its messages? docs/runbook.md#node-eviction-age and #dead-letters; rollcall explain node NAME says it of a node that stays Unknown',
};

/** After the beat that ends the silence. */
export const BACK: Step = {
  done: 'Ready by a beat again, and not tainted',
  missing: 'neither Ready nor without its taint by a beat',
  withinMs: AFTER_BEAT_MS,
  isDone: (seen) => seen.ready === 'True' && !isTainted(seen),
  question: 'taint',
  remedy: MONITOR,
};
