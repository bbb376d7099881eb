/**
 * Reads and writes durations such as `1m30s`, in whole seconds: the finest unit of SQS delays and EventBridge rules.
 */

const UNIT_SECONDS: Readonly<Record<string, number>> = { h: 3600, m: 60, s: 1 };

const ofParts = (text: string): number | undefined => {
  if (!/^(\d+h)?(\d+m)?(\d+s)?$/.test(text) || text === '') return undefined;
  return [...text.matchAll(/(\d+)([hms])/g)].reduce(
    (sum, [, amount, unit]) => sum + Number(amount) * (UNIT_SECONDS[unit ?? ''] ?? 0),
    0,
  );
};

/** Parses `40s`, `5m`, `1m30s`, `24h` or a number of seconds. Returns seconds, or `undefined` for anything else. */
export const parseDuration = (given: unknown): number | undefined => {
  if (typeof given === 'number') return Number.isInteger(given) && given >= 0 ? given : undefined;
  if (typeof given !== 'string') return undefined;
  const text = given.trim();
  return /^\d+$/.test(text) ? Number(text) : ofParts(text);
};

/** Formats seconds: 90 becomes `1m30s`. */
export const formatDuration = (seconds: number): string => {
  const parts = [
    [Math.floor(seconds / 3600), 'h'],
    [Math.floor((seconds % 3600) / 60), 'm'],
    [seconds % 60, 's'],
  ] as const;
  const text = parts.map(([amount, unit]) => (amount === 0 ? '' : `${amount}${unit}`)).join('');
  return text === '' ? '0s' : text;
};
