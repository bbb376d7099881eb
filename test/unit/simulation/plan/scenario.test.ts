import { describe, expect, it } from 'vitest';
import { planOf } from '../../../../simulation/plan/plan.ts';
import { parseScenario } from '../../../../simulation/plan/scenario.ts';

const lines = (...more: readonly string[]): string =>
  ['name: mine', 'about: A scenario of mine.', 'duration: 10m', ...more].join('\n');

const FLEET = 'fleet: { zones: [a, b], nodesPerZone: 3 }';

describe('a scenario', () => {
  it('has defaults for what it does not say', () => {
    expect(parseScenario(lines(FLEET), 'mine.yaml')).toEqual({
      name: 'mine',
      about: 'A scenario of mine.',
      seed: 1,
      duration: 600_000,
      large: false,
      fleet: {
        zones: ['a', 'b'],
        nodesPerZone: 3,
        beat: { every: 10_000, jitter: 0, style: 'kubelet' },
        clockSkew: 0,
        room: undefined,
        pods: [],
        relays: [],
      },
      policies: [],
      workloads: [],
      configuration: {},
      actions: [],
      faults: [],
      expect: undefined,
    });
  });

  it.each<[string, string, RegExp]>([
    ['no YAML', lines('fleet: {'), /^mine\.yaml:4: not valid YAML: /],
    [
      'an unknown field',
      lines(FLEET, 'zonse: 2'),
      /^mine\.yaml:5: zonse: unknown field; accepted are name, about, /,
    ],
    [
      'a missing field',
      lines('fleet:', '  zones: 2'),
      /^mine\.yaml:5: fleet: "nodesPerZone" is missing; give a whole number of at least 1$/,
    ],
    ['a missing section', lines(), /^mine\.yaml:1: the scenario: "fleet" is missing; give a map of zones, /],
    [
      'a duration that is none',
      lines(FLEET, 'faults:', '  - silence: { zone: a, at: soon }'),
      /^mine\.yaml:6: faults\[0\]\.silence\.at: "soon" is refused; accepted is a duration such as 500ms, 40s/,
    ],
    [
      'an unknown fault',
      lines(FLEET, 'faults:', '  - flood: { at: 1m }'),
      /^mine\.yaml:6: faults\[0\]: \{"flood".* is refused; accepted is one of silence, loss, flap, redeploy, cutUplink, pause, trouble/,
    ],
    [
      'a share above 1',
      lines(FLEET, 'faults:', '', '  - loss: { at: 1m, from: 0, to: 2 }'),
      /^mine\.yaml:7: faults\[0\]\.loss\.to: 2 is refused; accepted is a share from 0 to 1$/,
    ],
    [
      'an unknown part',
      lines(FLEET, 'faults:', '  - pause: { at: 1m, parts: [all] }'),
      /faults\[0\]\.pause\.parts\[0\]: "all" is refused; accepted is ticks, sweep, /,
    ],
    [
      'an unknown setting',
      lines(FLEET, 'configuration:', '  nodeEvictRate: 0.1'),
      /^mine\.yaml:6: nodeEvictRate: 0\.1 is not a setting; the settings are nodeMonitorPeriod, /,
    ],
    [
      'a refused setting',
      lines(FLEET, 'configuration:', '  nodeMonitorPeriod: 5s', '  nodeEvictionRate: fast'),
      /^mine\.yaml:7: nodeEvictionRate: "fast" is refused; give nodes per second/,
    ],
    [
      'settings that contradict',
      lines(FLEET, 'configuration:', '  nodeMonitorPeriod: 30s'),
      /^mine\.yaml:6: nodeMonitorGracePeriod: 40s is less than twice nodeMonitorPeriod/,
    ],
    [
      'a range of three',
      lines(FLEET, 'expect:', '  taints: [1, 2, 3]'),
      /^mine\.yaml:6: expect\.taints: \[1,2,3\] is refused; accepted is a whole number, or a list/,
    ],
    [
      'a workload without replicas',
      lines(FLEET, 'workloads:', '  - { name: web, replicas: 0 }'),
      /^mine\.yaml:6: workloads\[0\]\.replicas: 0 is refused; accepted is a whole number of at least 1/,
    ],
    [
      'a quantity that is none',
      lines(FLEET, 'workloads:', '  - { name: web, replicas: 1, cpu: much }'),
      /^mine\.yaml:6: workloads\[0\]\.cpu: "much" is refused; accepted is a quantity such as 4, 100m or 16Gi$/,
    ],
    ['no text at all', '', /^mine\.yaml:1: the scenario: null is refused; accepted is a map of name, /],
  ])('is refused for %s', (_name, source, message) => {
    expect(() => parseScenario(source, 'mine.yaml')).toThrow(message);
  });

  const fleetWithRelay = (zone: string): string =>
    `fleet: { zones: [a, b], nodesPerZone: 3, relays: [{ name: site, zone: ${zone} }] }`;
  it.each([
    [
      'an uplink of a relay that is not there',
      [fleetWithRelay('a'), 'faults:', '  - cutUplink: { relay: other, at: 1m }'],
      /^mine\.yaml:6: cutUplink: there is no relay other; there are site$/,
    ],
    [
      'a relay of a zone that is not there',
      [fleetWithRelay('x')],
      /^fleet: relays: site: there is no zone x$/,
    ],
  ])('is refused for %s', (_name, more, message) => {
    const scenario = parseScenario(lines(...more), 'mine.yaml');
    expect(() => planOf(scenario)).toThrow(message);
  });

  it('is refused for nodes that do not exist', () => {
    const scenario = parseScenario(lines(FLEET, 'faults:', '  - silence: { zone: c, at: 1m }'), 'mine.yaml');
    expect(() => planOf(scenario)).toThrow(
      /^mine\.yaml:6: silence: no such nodes; zones are a, b, nodes a-1, …, b-1, …/,
    );
  });

  it('chooses as many machines as it says, the same by the same seed', () => {
    const text = lines(
      'fleet: { zones: 3, nodesPerZone: 40 }',
      'faults:',
      '  - silence: { count: 17, at: 1m }',
    );
    const silent = (seed: number): readonly string[] =>
      planOf(parseScenario(text, 'mine.yaml'), seed).machines.flatMap(({ name, beating }) =>
        beating.schedule.gaps.length > 0 ? [name] : [],
      );
    expect(silent(1)).toHaveLength(17);
    expect(silent(1)).toEqual(silent(1));
    expect(silent(1)).not.toEqual(silent(2));
  });
});
