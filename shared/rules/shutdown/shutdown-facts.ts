/** When the shutdown of a node began and when its pods have to be gone, by our clock. */

import { ownMember } from '../../kube/json/own-member.ts';
import type { Node } from '../../kube/types/core.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import { isAhead } from '../zones/future-instants.ts';
import { SHUTDOWN_ANNOTATION, type ShutdownReport, shutdownReportOf } from './shutdown-report.ts';

/** The longest shutdown that is believed, whatever the node says: an hour. */
export const MOST_SHUTDOWN_SECONDS = 3_600;

/** A shutdown that was reported and has not ended by a word of its node. All instants ms, our clock. */
export interface ShutdownFacts {
  readonly id: string;
  readonly phase: number;
  readonly phases: number;
  readonly beganAt: EpochMs;
  readonly phaseEndsAt: EpochMs;
  /** The deadline. */
  readonly endsAt: EpochMs;
  /** No report moves the deadline beyond this. */
  readonly latestAt: EpochMs;
}

const secondsAfter = (at: EpochMs, seconds: number): EpochMs => at + seconds * 1000;

const begun = ({ totalSeconds }: ShutdownReport, now: EpochMs) => {
  const latestAt = secondsAfter(now, Math.min(totalSeconds, MOST_SHUTDOWN_SECONDS));
  return { beganAt: now, latestAt, endsAt: latestAt };
};

/** The facts after a report that came at `now` (ms). A further report of the same shutdown only shortens it. */
export const afterReport = (
  before: ShutdownFacts | undefined,
  report: ShutdownReport,
  now: EpochMs,
): ShutdownFacts => {
  const isKnown = before?.id === report.id && !isAhead(before.beganAt, now);
  const { beganAt, latestAt, endsAt: bound } = isKnown ? before : begun(report, now);
  const endsAt = Math.min(secondsAfter(now, report.remainingSeconds), bound);
  const phaseEndsAt = Math.min(secondsAfter(now, report.phaseSeconds), endsAt);
  const { id, phase, phases } = report;
  return { id, phase, phases, beganAt, phaseEndsAt, endsAt, latestAt };
};

const textOf = (node: Node | undefined): string | undefined =>
  node && ownMember(node.metadata.annotations, SHUTDOWN_ANNOTATION);

/** The facts of a Node that is written at `now` (ms); `undefined`: it does not shut down. */
export const shutdownFacts = (
  after: Node,
  before: { readonly node: Node; readonly facts: { readonly shutdown?: ShutdownFacts } } | undefined,
  now: EpochMs,
): ShutdownFacts | undefined => {
  const report = shutdownReportOf(after);
  if (!report) return undefined;
  const known = before?.facts.shutdown;
  return known && textOf(before.node) === textOf(after) ? known : afterReport(known, report, now);
};

/**
 * The shutdown that goes on at `now` (ms); `undefined` if there is none or its deadline is over. One that seems to begin later is not believed: the clock
 * was set back, and nobody knows how long it lasts.
 */
export const shutdownAt = (
  facts: { readonly shutdown?: ShutdownFacts } | undefined,
  now: EpochMs,
): ShutdownFacts | undefined => {
  const shutdown = facts?.shutdown;
  return shutdown && now < shutdown.endsAt && !isAhead(shutdown.beganAt, now) ? shutdown : undefined;
};
