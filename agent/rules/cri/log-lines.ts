/** Logs as runtimes of the CRI write them: `2016-10-06T00:17:09.669794202Z stdout F text`. Source: kubernetes v1.34 cri-client `logs.go`. */

export interface LogLine {
  readonly time: string;
  readonly stream: 'stdout' | 'stderr';
  /** Whether the next line of the stream goes on with it. */
  readonly isPart: boolean;
  readonly text: string;
}

/** `undefined`: it is no such line. */
export const logLine = (line: string): LogLine | undefined => {
  const [, time, stream, tag, text] = /^(\S+) (stdout|stderr) (\S+) ?(.*)$/s.exec(line) ?? [];
  if (time === undefined || stream === undefined) return undefined;
  return { time, stream: stream as LogLine['stream'], isPart: tag?.split(':')[0] === 'P', text: text ?? '' };
};

/** What the container wrote in the last lines, without times: at most so many lines and bytes. */
export const lastWords = (log: string, mostLines: number, mostBytes: number): string => {
  const lines = log.split('\n').flatMap((line) => logLine(line) ?? []);
  const text = lines
    .slice(-mostLines)
    .map((line) => `${line.text}${line.isPart ? '' : '\n'}`)
    .join('');
  const bytes = new TextEncoder().encode(text);
  return new TextDecoder().decode(bytes.slice(-mostBytes));
};
