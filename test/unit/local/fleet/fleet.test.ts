import { describe, expect, it } from 'vitest';
import { isSilent, NO_OUTAGE, withOutage, withoutOutage } from '../../../../local/fleet/outage.ts';
import { planFleet } from '../../../../local/fleet/plan.ts';

const SIZE = { nodes: 12, zones: 3, pods: 36 };
const FLEET = planFleet(SIZE, 1);
const zone = (...zones: string[]) => ({ ...NO_OUTAGE, zones });
const node = (...nodes: string[]) => ({ ...NO_OUTAGE, nodes });
const silentIn = (outage: typeof NO_OUTAGE): string =>
  FLEET.filter((machine) => isSilent(outage, machine))
    .map(({ name }) => name)
    .join(' ');

describe('the plan of the fleet', () => {
  it('has zones of equal size, of which each has kubelets and plain machines', () => {
    for (const name of ['a', 'b', 'c']) {
      const machines = FLEET.filter((machine) => machine.zone === name);
      expect(machines).toHaveLength(4);
      expect(new Set(machines.map(({ kind }) => kind))).toEqual(new Set(['kubelet', 'plain']));
    }
  });

  it('has pods with different names that tolerate 0 s to 300 s', () => {
    const pods = FLEET.flatMap((machine) => machine.pods);
    expect(new Set(pods.map(({ name }) => name)).size).toBe(36);
    expect(new Set(pods.map(({ tolerationSeconds }) => tolerationSeconds))).toEqual(
      new Set([0, 15, 30, 60, 120, 300]),
    );
  });

  it('divides tolerations as all other times, to whole seconds', () => {
    const seconds = planFleet(SIZE, 10).flatMap(({ pods }) => pods.map((pod) => pod.tolerationSeconds));
    expect(new Set(seconds)).toEqual(new Set([0, 2, 3, 6, 12, 30]));
  });

  it.each([
    [{ nodes: 1, zones: 3, pods: 0 }, 1],
    [{ nodes: 0, zones: 3, pods: 5 }, 0],
    [{ nodes: 1000, zones: 26, pods: 10 }, 26],
  ])('of %o has machines in %i zones', (size, zones) => {
    const fleet = planFleet(size, 1);
    expect(fleet).toHaveLength(size.nodes);
    expect(new Set(fleet.map((machine) => machine.zone)).size).toBe(zones);
  });
});

describe('an outage', () => {
  it.each([
    ['nobody', NO_OUTAGE, ''],
    ['a zone', zone('a'), 'n1 n2 n3 n4'],
    ['a node and a zone', withOutage(zone('a'), node('n9')), 'n1 n2 n3 n4 n9'],
    ['a node back from its zone', withoutOutage(zone('a'), node('n3'), FLEET), 'n1 n2 n4'],
    [
      'a zone back from all',
      withoutOutage({ ...NO_OUTAGE, all: true }, zone('b', 'c'), FLEET),
      'n1 n2 n3 n4',
    ],
    [
      'a zone back, a node of another one not',
      withoutOutage(withOutage(zone('a'), node('n9')), zone('a'), FLEET),
      'n9',
    ],
    ['everybody back', withoutOutage(withOutage(zone('a'), node('n9')), NO_OUTAGE, FLEET), ''],
  ])('of %s silences just them', (_, outage, silent) => expect(silentIn(outage)).toBe(silent));
});
