/** Names of rotated logs, and which of them go. Source: kubernetes v1.34 pkg/kubelet/logs `containerLogManager`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

const ROTATED = /\.(\d{8}-\d{6})(\.gz)?$/;

const two = (value: number): string => String(value).padStart(2, '0');

/** The name that a log gets at its rotation: `0.log.20200102-150405`, in UTC. */
export const rotatedLogName = (log: string, now: EpochMs): string => {
  const at = new Date(now);
  const day = `${at.getUTCFullYear()}${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())}`;
  return `${log}.${day}-${two(at.getUTCHours())}${two(at.getUTCMinutes())}${two(at.getUTCSeconds())}`;
};

/** The time in such a name, to the second. */
const timeIn = (name: string): EpochMs => {
  const digits = ROTATED.exec(name)?.[1] ?? '';
  return Date.parse(digits.replace(/(....)(..)(..)-(..)(..)(..)/, '$1-$2-$3T$4:$5:$6Z'));
};

/** The time that the next rotation gets: behind the last of these, so that names keep their order when the clock is set back. */
export const nextRotation = (rotated: readonly string[], now: EpochMs): EpochMs => {
  const last = timeIn(rotated.at(-1) ?? '');
  return Number.isNaN(last) ? now : Math.max(now, last + 1000);
};

/** The rotated files of `log` among these names, oldest first. */
export const rotatedLogsOf = (log: string, names: readonly string[]): readonly string[] =>
  names.filter((name) => name.startsWith(`${log}.`) && ROTATED.test(name)).toSorted();

/** Which are deleted before one more is made, so that `mostFiles` are left with the log itself. */
export const surplusLogs = (rotated: readonly string[], mostFiles: number): readonly string[] =>
  rotated.slice(0, Math.max(0, rotated.length - Math.max(0, mostFiles - 2)));
