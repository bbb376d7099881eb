/** Lines of a log in the format of the CRI: `TIME STREAM TAG TEXT`. Source: kubernetes v1.34 pkg/kubelet/kuberuntime/logs `parseCRILog`. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import { parseTime } from '../../../shared/kube/values/time.ts';

/** A line, or a part of one. */
export interface LogLine {
  /** RFC 3339 in nanoseconds, as it is shown. */
  readonly time: string;
  readonly at: EpochMs;
  /** With its end, if it has one. */
  readonly text: Uint8Array;
}

const SPACE = 32;
const NEW_LINE = 10;
const UTC = /^[+-]00:00$/;
const TIME = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/;

/** The time with nine digits, as Go's `RFC3339NanoFixed` writes it, whose zone of UTC is `Z`: conmon writes `+00:00`. `undefined` if it is none. */
const fixedTime = (text: string): string | undefined => {
  const [, seconds, fraction = '', zone = ''] = TIME.exec(text) ?? [];
  return seconds === undefined ? undefined : `${seconds}.${fraction.padEnd(9, '0')}${zone.replace(UTC, 'Z')}`;
};

/** `undefined`: the line is in another format. A part of a line (tag `P`) has no end, because the next one goes on with it. */
export const criLine = (line: Buffer): LogLine | undefined => {
  const first = line.indexOf(SPACE);
  const second = line.indexOf(SPACE, first + 1);
  const third = line.indexOf(SPACE, second + 1);
  if (first < 0 || second < 0 || third < 0) return undefined;
  const written = line.toString('latin1', 0, first);
  const [time, at] = [fixedTime(written), parseTime(written)];
  const stream = line.toString('latin1', first + 1, second);
  if (time === undefined || at === undefined || !['stdout', 'stderr'].includes(stream)) return undefined;
  const [tag] = line.toString('latin1', second + 1, third).split(':');
  const end = tag === 'P' && line.at(-1) === NEW_LINE ? line.length - 1 : line.length;
  return { time, at, text: line.subarray(third + 1, end) };
};
