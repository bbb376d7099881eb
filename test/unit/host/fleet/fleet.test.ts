import { describe, expect, it } from 'vitest';
import { isSilent, NO_OUTAGE, withOutage, withoutOutage } from '../../../../host/fleet/outage.ts';
import { planFleet } from '../../../../host/fleet/plan.ts';
import { workloadsOf } from '../../../../host/fleet/workloads.ts';

const SIZE = { nodes: 12, zones: 3, pods: 36 };
const FLEET = planFleet(SIZE);
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

  it.each([
    [{ nodes: 1, zones: 3, pods: 0 }, 1],
    [{ nodes: 0, zones: 3, pods: 5 }, 0],
    [{ nodes: 1000, zones: 26, pods: 10 }, 26],
  ])('of %o has machines in %i zones', (size, zones) => {
    const fleet = planFleet(size);
    expect(fleet).toHaveLength(size.nodes);
    expect(new Set(fleet.map((machine) => machine.zone)).size).toBe(zones);
  });
});

const seconds = (timeFactor: number) =>
  workloadsOf(SIZE, timeFactor).map(({ spec }) =>
    spec?.template?.spec?.tolerations?.map(({ tolerationSeconds }) => tolerationSeconds),
  );

describe('the workloads of the fleet', () => {
  it('are a Deployment, a StatefulSet and a DaemonSet', () => {
    const shown = workloadsOf(SIZE, 1).map(({ kind, spec }) => [kind, spec?.replicas]);
    expect(shown).toEqual([
      ['Deployment', 36],
      ['StatefulSet', 3],
      ['DaemonSet', undefined],
    ]);
  });

  it('divide tolerations as all other times, to whole seconds', () => {
    expect(seconds(1)).toEqual([[15, 15], [30, 30], undefined]);
    expect(seconds(10)).toEqual([[2, 2], [3, 3], undefined]);
  });

  it.each([
    { ...SIZE, nodes: 0 },
    { ...SIZE, pods: 0 },
  ])('are none for %o', (size) => {
    expect(workloadsOf(size, 1)).toEqual([]);
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
