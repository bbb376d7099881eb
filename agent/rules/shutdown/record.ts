/** The file that tells when the last shutdown began and ended. Source: kubernetes v1.34 pkg/kubelet/nodeshutdown `storage.go`. */

import { optional } from '../../../shared/kube/values/optional.ts';
import { type EpochMs, parseTime } from '../../../shared/kube/values/time.ts';

/** A shutdown: when it began, and when all pods were ended. */
export interface ShutdownRecord {
  readonly startedAt?: EpochMs;
  readonly endedAt?: EpochMs;
}

/** Go's time that is not set. */
const NEVER = '0001-01-01T00:00:00Z';

/** RFC 3339 without zeros at the end of the fraction, as Go writes it. */
const timeText = (at: EpochMs | undefined): string =>
  at === undefined ? NEVER : new Date(at).toISOString().replace(/\.?0*Z$/, 'Z');

/** The text of the file. */
export const recordText = ({ startedAt, endedAt }: ShutdownRecord): string =>
  JSON.stringify({ startTime: timeText(startedAt), endTime: timeText(endedAt) });

const timeOf = (value: unknown): EpochMs | undefined =>
  typeof value === 'string' && value !== NEVER ? parseTime(value) : undefined;

/** Reads the file; `undefined` if it is not one. */
export const parseRecord = (text: string): ShutdownRecord | undefined => {
  try {
    const { startTime, endTime } = JSON.parse(text) as Readonly<Record<string, unknown>>;
    const [startedAt, endedAt] = [timeOf(startTime), timeOf(endTime)];
    return {
      ...optional('startedAt', startedAt),
      ...optional('endedAt', endedAt),
    };
  } catch {
    return undefined;
  }
};
