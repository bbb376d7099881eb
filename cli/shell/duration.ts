/** Durations on command lines. */
import { CommandError } from './command.ts';

const UNIT_SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400 };

/** Seconds of `90s`, `30m`, `24h`, `7d`, the value of `flag`. Throws a `CommandError` for anything else. */
export const parseDuration = (text: string, flag = '--ttl'): number => {
  const [, amount, unit = ''] = /^(\d+)([smhd])$/.exec(text) ?? [];
  const seconds = Number(amount) * (UNIT_SECONDS[unit] ?? 0);
  if (seconds > 0) return seconds;
  throw new CommandError(`${flag} ${text} is not a duration; write it as 90s, 30m, 24h or 7d`, 2);
};
