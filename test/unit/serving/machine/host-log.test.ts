import { describe, expect, it } from 'vitest';
import { createHostLog } from '../../../../shared/serving/machine/host-log.ts';

const HOSTILE = 'n1\u001b[2J\n15:04:05 forged\u202e\u0085';

const lineOf = (format: 'text' | 'json'): string => {
  const lines: string[] = [];
  const log = createHostLog({ format, clock: { now: () => 0 }, write: (line) => lines.push(line) });
  log.warn(`node ${HOSTILE}`, { error: new Error(HOSTILE), nested: { message: HOSTILE } });
  expect(lines).toHaveLength(1);
  return lines[0] ?? '';
};

describe('a line of the log', () => {
  it.each(['text', 'json'] as const)('as %s has no unprintable characters', (format) =>
    expect(lineOf(format)).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u),
  );

  it('as JSON keeps the original text', () =>
    expect(JSON.parse(lineOf('json'))).toMatchObject({
      level: 'warn',
      message: `node ${HOSTILE}`,
      error: { message: HOSTILE },
      nested: { message: HOSTILE },
    }));
});
