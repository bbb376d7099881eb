import type { HostLog } from '../../shared/serving/machine/host-log.ts';

/** Length of a period (ms), and the lines that one message may have in it. */
const PERIOD_MS = 10_000;
const LINES = 20;

interface Period {
  readonly since: number;
  lines: number;
}

/**
 * The same log with at most 20 lines of one message in ten seconds. The next period begins with the number of lines left
 * out.
 */
export const createLimitedLog = (hostLog: HostLog, elapsed: () => number): HostLog => {
  const periods = new Map<string, Period>();
  const limited =
    (level: keyof HostLog): HostLog[typeof level] =>
    (message, fields) => {
      const now = elapsed();
      const last = periods.get(message);
      const isOver = last !== undefined && now - last.since >= PERIOD_MS;
      const left = isOver ? last.lines - LINES : 0;
      const period = last === undefined || isOver ? { since: now, lines: 0 } : last;
      period.lines += 1;
      periods.set(message, period);
      if (left > 0) hostLog[level](`${message}: ${left} more lines like this were left out`);
      if (period.lines <= LINES) hostLog[level](message, fields);
    };
  return { info: limited('info'), warn: limited('warn'), error: limited('error') };
};
