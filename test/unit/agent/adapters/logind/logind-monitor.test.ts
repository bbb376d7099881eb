import { Readable } from 'node:stream';
import { describe, expect, it } from 'vitest';
import { announcementsIn } from '../../../../../agent/adapters/logind/monitor.ts';

const signal = (member: string, ...data: readonly unknown[]): string =>
  `${JSON.stringify({ type: 'signal', member, payload: { type: 'b', data } })}\n`;

const heard = async (...chunks: readonly string[]): Promise<readonly boolean[]> => {
  const announced: boolean[] = [];
  for await (const one of announcementsIn(
    Readable.from(
      chunks.map((text) => Buffer.from(text)),
      { objectMode: false },
    ),
  ))
    announced.push(one);
  return announced;
};

describe('the announcements that a monitor of the bus prints', () => {
  const both = signal('PrepareForShutdown', true) + signal('PrepareForShutdown', false);

  it('are read whole, however they are cut', async () => {
    for (let at = 0; at <= both.length; at++)
      expect(await heard(both.slice(0, at), both.slice(at))).toEqual([true, false]);
  });

  it('end when another logind comes', async () => {
    const gone = signal('NameOwnerChanged', 'org.freedesktop.login1', ':1.2', '');
    expect(
      await heard(signal('PrepareForShutdown', true), gone, signal('PrepareForShutdown', false)),
    ).toEqual([true]);
  });

  it.each([
    ['no JSON', 'Monitoring\n'],
    ['another signal', signal('PrepareForSleep', true)],
    ['one without a value', signal('PrepareForShutdown')],
    ['one with another value', signal('PrepareForShutdown', 'yes')],
    ['one that is cut off', signal('PrepareForShutdown', true).trimEnd()],
  ])('do not include %s', async (_, text) => {
    expect(await heard(text)).toEqual([]);
  });
});
