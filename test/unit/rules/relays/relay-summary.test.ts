import { describe, expect, it } from 'vitest';
import { relaySummaries, stateNow } from '../../../../shared/rules/relays/relay-summary.ts';

const SECOND = 1_000;
const NOW = 1_000 * SECOND;
const config = { nodeMonitorGracePeriodMs: 40 * SECOND };

const partOf = (relay: string, part: number, ...names: readonly string[]) => ({
  part: { relay, part },
  roster: { revision: 1, entries: names.map((name) => ({ name, uid: 'u', untilAt: NOW, since: 1 })) },
});

const ZONES: Readonly<Record<string, string>> = { 'n1/u': 'b', 'n2/u': 'a', 'n3/u': '', 'n4/u': 'b' };

describe('what is shown of relays (J-322)', () => {
  it('is their state, how many Nodes and parts they have, and the zones of these', () => {
    const parts = [
      partOf('s1', 0, 'n1', 'n2'),
      partOf('s1', 4, 'n3', 'gone'),
      partOf('s2', 0, 'n4'),
      partOf('s3', 0),
    ];
    const cutOff = [{ relay: 's2', lastBatchAt: 0, nodes: new Set(['n4/u']) }];
    const view = { silent: ['s2', 's3'], cutOff, unsure: [] };
    expect(relaySummaries(parts, view, (node) => ZONES[node])).toEqual([
      { relay: 's1', state: 'Ready', parts: 5, nodes: 3, zones: ['a', 'b'] },
      { relay: 's2', state: 'CutOff', parts: 1, nodes: 1, zones: ['b'] },
      { relay: 's3', state: 'Silent', parts: 1, nodes: 0, zones: [] },
    ]);
  });

  it('a Node that is on two parts counts once, and four zones are named', () => {
    const names = ['v', 'w', 'x', 'y', 'z'];
    const [one] = relaySummaries(
      [partOf('s', 0, ...names), partOf('s', 1, ...names)],
      { silent: [], cutOff: [], unsure: [] },
      (node) => node[0],
    );
    expect(one).toMatchObject({ nodes: 5, zones: ['v', 'w', 'x', 'y'] });
  });

  it.each([
    ['Ready', 20, 'Ready'],
    ['Ready', 21, 'Silent'],
    ['Silent', 5, 'Ready'],
    ['CutOff', 5, 'Ready'],
    ['CutOff', 50, 'CutOff'],
    ['Silent', 50, 'Silent'],
  ] as const)('%s by the last pass, %d s after a batch: %s', (found, seconds, now) => {
    expect(stateNow(found, NOW - seconds * SECOND, NOW, config)).toBe(now);
  });
});
