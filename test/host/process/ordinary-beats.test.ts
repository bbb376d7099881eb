import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startHost } from '../../../host/host.ts';
import { createHostLog } from '../../../shared/serving/machine/host-log.ts';
import { ALL_SHORTCUTS, type Shortcuts } from '../../../shared/serving/repeats/shortcuts.ts';
import { parseHostConfiguration } from '../../../shared/settings/host/host-configuration.ts';
import { openConnections } from '../../bench/host/beats.ts';
import { BEAT_KINDS, nodeBeats } from '../../bench/host/cost/beat-requests.ts';
import { storeHostFleet } from '../../bench/host/stored-fleet.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-beats-'));
const BEATS = 5;
let parsed = 0;

const count = (): void => {
  parsed += 1;
};

beforeAll(() => subscribe('http.server.request.start', count));
afterAll(() => {
  unsubscribe('http.server.request.start', count);
  rmSync(root, { recursive: true, force: true });
});

/** Beats of each kind on a connection of their own; rejects when one is not accepted. Returns how many requests were parsed, and the log. */
const beatAt = async (name: string, shortcuts: Shortcuts) => {
  const folder = join(root, name);
  const lines: string[] = [];
  await storeHostFleet(join(folder, 'state'), { nodes: 2, pods: 0 });
  const hostLog = createHostLog({ format: 'text', clock: Date, write: (line) => lines.push(line) });
  const host = await startHost(parseHostConfiguration({ folder, listen: '127.0.0.1:0' }), hostLog, shortcuts);
  parsed = 0;
  for (const kind of BEAT_KINDS) {
    const [connection] = await openConnections(folder, 1);
    const [node] = await nodeBeats(folder, 1, kind);
    if (node?.first) node.answered((await connection?.exchange(node.first)) ?? '');
    for (let beat = 0; beat < BEATS; beat += 1)
      node?.answered((await connection?.exchange(node.next())) ?? '');
    connection?.close();
  }
  const seen = { parsed, lines };
  await host.stop();
  return seen;
};

const ALL = BEAT_KINDS.length * BEATS + 2;

describe('a host', () => {
  it('answers most repeated beats without parsing them', async () => {
    const { parsed: some, lines } = await beatAt('with', ALL_SHORTCUTS);
    expect(some).toBeLessThan(ALL);
    expect(lines.filter((line) => line.includes('repeated requests'))).toEqual([]);
  });

  it('parses and accepts all beats with a Node that reads connections otherwise, and says so in its log', async () => {
    const findFault = async (): Promise<string> => 'everything is otherwise';
    const { parsed: some, lines } = await beatAt('without', { ...ALL_SHORTCUTS, findFault });
    expect(some).toBe(ALL);
    const told = lines.filter((line) => line.includes('everything is otherwise'));
    expect(told).toEqual([expect.stringContaining('repeated requests are parsed like others')]);
  });

  it.each(['known', 'unparsed', 'renewals', 'pieces'] as const)(
    'accepts all beats without the shortcut "%s"',
    async (off) => {
      const { parsed: some } = await beatAt(off, { ...ALL_SHORTCUTS, [off]: false });
      expect(some).toBeLessThanOrEqual(ALL);
      expect(some === ALL).toBe(off === 'known' || off === 'unparsed');
    },
  );
});
