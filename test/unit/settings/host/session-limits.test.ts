import { describe, expect, it } from 'vitest';
import { run } from '../../../../cli/cluster/proxy.ts';
import {
  parseHostConfiguration,
  sessionLimitsOf,
} from '../../../../shared/settings/host/host-configuration.ts';

const USUAL = { all: 1_000, perIdentity: 256, perNode: 128, idleMs: 4 * 3_600_000 };

describe('limits of sessions with nodes', () => {
  it('have defaults', () => {
    expect(parseHostConfiguration().limits.sessions).toEqual(USUAL);
    expect(sessionLimitsOf({})).toEqual(USUAL);
  });

  it('are settings of a host', () => {
    const { limits } = parseHostConfiguration({
      maxSessions: '20',
      maxSessionsPerIdentity: 9,
      maxSessionsPerNode: '8',
      streamingConnectionIdleTimeout: '90s',
    });
    expect(limits.sessions).toEqual({ all: 20, perIdentity: 9, perNode: 8, idleMs: 90_000 });
  });

  it.each([
    [{ maxSessions: '7' }, 'maxSessions: "7" is refused; give a whole number from 8 to 1000000'],
    [{ maxSessionsPerNode: 'many' }, 'maxSessionsPerNode: "many" is refused'],
    [
      { streamingConnectionIdleTimeout: '59s' },
      'streamingConnectionIdleTimeout: "59s" is refused; give a duration of 1m to 720h, such as 4h',
    ],
  ])('%j is refused', (given, message) => {
    expect(() => parseHostConfiguration(given)).toThrow(message);
  });

  it.each([
    ['--max-sessions', '7', '--max-sessions 7 is refused; give a whole number from 8 to 1000000'],
    ['--max-sessions-per-identity', 'x', '--max-sessions-per-identity x is refused'],
    ['--max-sessions-per-node', '-1', '--max-sessions-per-node'],
    ['--streaming-connection-idle-timeout', '1000h', 'give a duration of 1m to 720h, such as 4h'],
  ])('the proxy refuses %s %s', async (flag, value, message) => {
    const context = { print: () => undefined, complain: () => undefined, now: () => 0, env: {} };
    await expect(run([`${flag}=${value}`], context as never)).rejects.toThrow(message);
  });
});
