/** Where the time of a run goes: by file, and of LocalStack with its functions. */
import { existsSync, readFileSync } from 'node:fs';

interface FileTimes {
  readonly file: string;
  /** Milliseconds since 1970. */
  readonly startedAt: number;
  readonly endedAt: number;
  /** Seconds that all processes of the run have used meanwhile: those of files that ran beside it are in it. */
  readonly processor: number;
}

const readTimes = (path: string): readonly FileTimes[] =>
  existsSync(path)
    ? readFileSync(path, 'utf8')
        .split('\n')
        .filter((line) => line !== '')
        .map((line) => JSON.parse(line) as FileTimes)
    : [];

const column = (value: number): string => value.toFixed(0).padStart(6);

/** A line for each file, in the order in which they began. `beganAt` is the instant of the run, ms. */
export const fileTimesText = (path: string, beganAt: number): string => {
  const lines = readTimes(path)
    .toSorted((a, b) => a.startedAt - b.startedAt)
    .map(({ file, startedAt, endedAt, processor }) =>
      [(startedAt - beganAt) / 1000, (endedAt - startedAt) / 1000, processor]
        .map(column)
        .concat(`  ${file}`)
        .join(' '),
    );
  return ['  from, wall, processor, all in seconds', ...lines, ''].join('\n');
};
