import { describe, expect, it } from 'vitest';
import { relayStates, relaySummary, stateNow } from '../../../../shared/rules/relays/relay-summary.ts';

const SECOND = 1_000;
const NOW = 1_000 * SECOND;
const config = { nodeMonitorGracePeriodMs: 40 * SECOND };

const partOf = (relay: string, part: number, ...names: readonly string[]) => ({
  part: { relay, part },
  roster: { revision: 1, entries: names.map((name) => ({ name, uid: 'u', untilAt: NOW, since: 1 })) },
});

/** Zones of the nodes, by their names. */
const summaryOf = (
  zones: Readonly<Record<string, string>>,
  relay: string,
  ...parts: readonly ReturnType<typeof partOf>[]
) => {
  const names = Object.keys(zones);
  return relaySummary(relay, parts, 'Ready', {
    nodeOf: ({ roster }, place) => names.indexOf(roster?.entries[place]?.name ?? ''),
    zoneOf: (node) => zones[names[node] ?? ''] ?? '',
  });
};

describe('what is shown of relays (J-322)', () => {
  it.each([
    ['CutOff', 's1'],
    ['Silent', 's2'],
    ['Ready', 's3'],
  ] as const)('is its state, which may be %s', (state, relay) => {
    const cutOff = [{ relay: 's1', lastBatchAt: 0, nodes: new Set(['n4/u']) }];
    expect(relayStates({ silent: ['s1', 's2'], cutOff, unsure: [] })(relay)).toBe(state);
  });

  it('is how many Nodes and parts it has, and the zones of these', () => {
    const zones = { n1: 'b', n2: 'a', n3: '', n4: 'b' };
    const some = [partOf('s1', 0, 'n1', 'n2'), partOf('s1', 4, 'n3', 'gone')];
    expect(summaryOf(zones, 's1', ...some)).toEqual({
      relay: 's1',
      state: 'Ready',
      parts: 5,
      nodes: 3,
      zones: ['a', 'b'],
    });
    expect(summaryOf(zones, 's3', partOf('s3', 0))).toMatchObject({ parts: 1, nodes: 0, zones: [] });
  });

  it('a Node that is on two parts counts once, and four zones are named', () => {
    const names = ['v', 'w', 'x', 'y', 'z'];
    const zones = Object.fromEntries(names.map((name) => [name, name]));
    const one = summaryOf(zones, 's', partOf('s', 0, ...names), partOf('s', 1, ...names));
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
