import { describe, expect, it } from 'vitest';
import { runPass } from '../../../../lambdas/node-monitor/reconcile.ts';
import { closed } from '../../../../shared/rules/relays/closed-roster.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import type { RelayBeats } from '../../../../shared/rules/relays/relay-items.ts';
import { relayFound } from '../../../../shared/store/beats/relay-records.ts';
import type { ControlPlane } from '../../../../simulation/plane/control-plane-types.ts';
import { faultsOf } from '../../../support/objects/event-schemas.ts';
import { createMemoryControlPlane } from '../../../support/planes/control-plane.ts';
import * as fleet from '../../../support/planes/fleet.ts';

type Deps = Parameters<typeof runPass>[0];

const SECOND = 1_000;
const DAY = 86_400 * SECOND;

const partOf = (relay: string) => ({ relay, part: 0 });

const pass = (plane: ControlPlane, ports: Partial<Deps> = {}) =>
  plane.clock.run(runPass({ ...plane.invoke(), config: plane.config, ...ports }, plane.clock.now()));

const uidOf = async (plane: ControlPlane, name: string): Promise<string> =>
  (await plane.state.heartbeats.read({ namespace: 'kube-node-lease', name }))?.uid ?? '';

/** The relay has these nodes on its roster. */
const enrol = async (plane: ControlPlane, relay: string, names: readonly string[]): Promise<void> => {
  const untilAt = plane.clock.now() + DAY;
  const entries = [];
  for (const name of names) {
    const uid = await uidOf(plane, name);
    await plane.state.heartbeats.joinRelay(name, uid, partOf(relay));
    entries.push({ name, uid, untilAt, since: 1 });
  }
  await plane.state.heartbeats.replaceRoster(partOf(relay), undefined, { revision: 1, entries }, untilAt);
};

const batch = async (
  plane: ControlPlane,
  relay: string,
  ages: readonly (number | null)[],
  rest: Partial<RelayBeats> & { readonly isPlain?: boolean } = {},
): Promise<void> => {
  const { heartbeats } = plane.state;
  const read = (await heartbeats.readRelay(partOf(relay))).beats?.sequence;
  const { isPlain = false, ...given } = rest;
  const receivedAt = plane.clock.now();
  const aged = packAges(ages.map((ageMs) => (ageMs === null ? null : { ageMs, isPlain })));
  const next = { sequence: (read ?? 0) + 1, receivedAt, roster: 1, ages: aged, ...given };
  await heartbeats.replaceRelayed(partOf(relay), read, next, receivedAt + DAY);
};

const aSite = async (...names: readonly string[]): Promise<ControlPlane> => {
  const plane = createMemoryControlPlane();
  for (const name of names) {
    await fleet.addNode(plane, name, { ready: 'True' });
    await fleet.beat(plane, name);
  }
  await enrol(plane, 'site-a', names);
  return plane;
};

const grace = (plane: ControlPlane): number => plane.config.nodeMonitorGracePeriodMs;

describe('nodes behind a relay', () => {
  it('live by what the relay says, and are found silent by their ages (J-164)', async () => {
    const plane = await aSite('n1', 'n2');
    plane.clock.advance(60 * SECOND);
    await batch(plane, 'site-a', [2 * SECOND, grace(plane) + 1]);
    expect(await pass(plane)).toMatchObject({ flips: 1 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
    expect(await fleet.readyOf(plane, 'n2')).toBe('Unknown');
  });

  it('are judged by the newest sign of life: straight, or through either of two relays (J-164)', async () => {
    const plane = await aSite('n1', 'n2');
    await enrol(plane, 'site-b', ['n1', 'n2']);
    plane.clock.advance(60 * SECOND);
    await batch(plane, 'site-a', [60 * SECOND, 50 * SECOND]);
    await batch(plane, 'site-b', [SECOND, 50 * SECOND]);
    await fleet.beat(plane, 'n2');
    expect(await pass(plane)).toMatchObject({ flips: 0 });
  });

  it('come back with the right instant: those that lived all along were never lost', async () => {
    const plane = await aSite('n1', 'n2');
    plane.clock.advance(30 * SECOND);
    await batch(plane, 'site-a', [0, 0]);
    plane.clock.advance(38 * SECOND);
    expect(await pass(plane)).toMatchObject({ flips: 0 });
    await batch(plane, 'site-a', [3 * SECOND, 38 * SECOND]);
    plane.clock.advance(3 * SECOND);
    expect(await pass(plane)).toMatchObject({ flips: 1 });
    expect(await fleet.readyOf(plane, 'n2')).toBe('Unknown');
  });

  it('a Node made anew is not kept alive by the ages of the one before', async () => {
    const plane = await aSite('n1');
    await plane.state.heartbeats.replaceRoster(
      partOf('site-a'),
      1,
      { revision: 2, entries: [{ name: 'n1', uid: 'former', untilAt: plane.clock.now() + DAY, since: 1 }] },
      plane.clock.now() + DAY,
    );
    plane.clock.advance(60 * SECOND);
    await batch(plane, 'site-a', [0]);
    expect(await pass(plane)).toMatchObject({ flips: 1 });
  });

  it('a batch that arrives in mid-pass refuses the flip (J-164)', async () => {
    const plane = await aSite('n1');
    await batch(plane, 'site-a', [0]);
    plane.clock.advance(grace(plane) + SECOND);
    const inner = plane.state.heartbeats;
    let isLate = true;
    const heartbeats = {
      ...inner,
      readRelay: async (part: Parameters<typeof inner.readRelay>[0]) => {
        const record = await inner.readRelay(part);
        if (isLate) await batch(plane, 'site-a', [0]);
        isLate = false;
        return record;
      },
    };
    expect(await pass(plane, { heartbeats })).toMatchObject({ flips: 0, conflicts: 1 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('True');
  });

  it('a batch that was stored by a clock that was ahead delays the detection by a grace period (J-164)', async () => {
    const plane = await aSite('n1');
    await batch(plane, 'site-a', [0], { receivedAt: plane.clock.now() + 365 * DAY });
    expect(await pass(plane)).toMatchObject({ flips: 0, takenBack: 1 });
    plane.clock.advance(grace(plane));
    expect(await pass(plane)).toMatchObject({ flips: 0, takenBack: 0 });
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ flips: 1 });
  });

  it('plain heartbeats through a relay do not hide a hung kubelet (J-164)', async () => {
    const plane = await aSite('n1');
    plane.clock.advance(grace(plane) + SECOND);
    await batch(plane, 'site-a', [0], { isPlain: true });
    expect(await pass(plane)).toMatchObject({ flips: 1 });
  });
});

describe('a site that is cut off', () => {
  /** Two of three nodes of the zone are behind the relay, and fall silent with it. */
  const cutOff = async (policy?: 'Hold' | 'Evict'): Promise<ControlPlane> => {
    const plane = await aSite('n1', 'n2');
    await fleet.addNode(plane, 'other', { ready: 'True' });
    if (policy) await fleet.setPolicy(plane, 'site', { onPartition: policy });
    await batch(plane, 'site-a', [0, 0]);
    plane.clock.advance(35 * SECOND);
    await fleet.beat(plane, 'other');
    plane.clock.advance(6 * SECOND);
    return plane;
  };
  /** What was told of sites. */
  const sites = (plane: ControlPlane): readonly string[] =>
    plane.bus.published.map(({ detailType }) => detailType).filter((type) => type.startsWith('Site'));
  const waiting = async (plane: ControlPlane): Promise<readonly string[]> =>
    (await plane.state.control.zones()).flatMap((zone) => zone.waiting);

  it('is one Event, however many nodes become Unknown and however long it lasts (J-168)', async () => {
    const plane = await cutOff();
    expect(await pass(plane)).toMatchObject({ flips: 2, silentRelays: 1, cutOffNodes: 2 });
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ flips: 0, silentRelays: 1, cutOffNodes: 2 });
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
    expect(fleet.eventsOf(plane)).toEqual([expect.stringContaining('SitePartitioned')]);
  });

  it('is told other systems once, and once when it is back (J-271)', async () => {
    const plane = await cutOff();
    const told = () =>
      plane.bus.published.flatMap(({ detailType, detail }) =>
        detailType.startsWith('Site') ? [`${detailType} ${detail.id}`] : [],
      );
    // The process dies between the publication and the memory of it.
    const dying = { ...plane.state.control, replaceSighting: () => Promise.reject(new Error('killed')) };
    await expect(pass(plane, { control: dying })).rejects.toThrow('killed');
    plane.clock.advance(5 * SECOND);
    await pass(plane);
    plane.clock.advance(5 * SECOND);
    await pass(plane);
    const [first] = told();
    expect(told()).toEqual([first, first]);
    await batch(plane, 'site-a', [0, 0]);
    plane.clock.advance(SECOND * 5);
    await pass(plane);
    expect(told().slice(2)).toEqual([expect.stringMatching(/^SiteReturned site\/site-a\//)]);
    for (const { detailType, detail } of plane.bus.published)
      expect(faultsOf(detailType, detail)).toEqual([]);
  });

  it.each([
    ['by default nobody is evicted', undefined, []],
    ['nor with Hold', 'Hold', []],
    ['with Evict its nodes wait for their taints', 'Evict', ['n1', 'n2']],
  ] as const)('%s (J-168)', async (_name, policy, names) => {
    const plane = await cutOff(policy);
    await pass(plane);
    expect(await waiting(plane)).toEqual(names);
    expect(await fleet.readyOf(plane, 'n1')).toBe('Unknown');
  });

  it('is held on, and is not told again, when the silence of all begins anew: the clock was set, or the host was killed (J-337)', async () => {
    const plane = await cutOff();
    await pass(plane);
    plane.clock.advance(3_600 * SECOND);
    const { control } = plane.state;
    await control.raiseClockFloor(plane.clock.now(), (await control.readPass())?.pass ?? 0);
    for (let passes = 0; passes < 12; passes += 1) {
      await fleet.beat(plane, 'other');
      await pass(plane);
      expect(await waiting(plane)).toEqual([]);
      const [found] = await control.sightings('told', 'relay/');
      expect(found && relayFound(found).state).toBe('CutOff');
      plane.clock.advance(5 * SECOND);
    }
    expect(sites(plane)).toEqual(['SitePartitioned']);
  });

  it('is not told before it could have been heard for half a grace period (J-337)', async () => {
    const plane = await cutOff();
    const { control } = plane.state;
    await control.raiseClockFloor(plane.clock.now(), (await control.readPass())?.pass ?? 0);
    plane.clock.advance(20 * SECOND);
    expect(await pass(plane)).toMatchObject({ silentRelays: 0 });
    expect(sites(plane)).toEqual([]);
    const [found] = await control.sightings('told', 'relay/');
    expect(found && relayFound(found).state).toBe('Ready');
    plane.clock.advance(SECOND);
    expect(await pass(plane)).toMatchObject({ silentRelays: 1 });
    expect(sites(plane)).toEqual(['SitePartitioned']);
  });

  it('ends with a batch: those that lived are not lost, those that died wait for their taint', async () => {
    const plane = await cutOff();
    await pass(plane);
    plane.clock.advance(60 * SECOND);
    await fleet.beat(plane, 'other');
    await batch(plane, 'site-a', [0, 90 * SECOND]);
    expect(await pass(plane)).toMatchObject({ silentRelays: 0, cutOffNodes: 0 });
    expect(await waiting(plane)).toContain('n2');
  });

  it('a node whose relay fell silent alone, beside others that are heard, is lost as any other', async () => {
    const plane = await aSite('n1', 'n2');
    await batch(plane, 'site-a', [0, 0]);
    plane.clock.advance(35 * SECOND);
    await fleet.beat(plane, 'n2');
    plane.clock.advance(6 * SECOND);
    expect(await pass(plane)).toMatchObject({ flips: 1, silentRelays: 1, cutOffNodes: 0 });
    expect(await waiting(plane)).toEqual(['n1']);
  });
});

describe('what a pass remembers of relays (J-322)', () => {
  const remembered = async (plane: ControlPlane) =>
    (await plane.state.control.sightings('told', 'relay/')).map((sighting) => {
      const { relay, state, nodes, parts, since } = relayFound(sighting);
      return { relay, state, nodes, parts, since };
    });

  it('is written when it changes, and forgotten with the relay', async () => {
    const plane = await aSite('n1', 'n2');
    await batch(plane, 'site-a', [0, 0]);
    const since = plane.clock.now();
    await pass(plane);
    const ready = { relay: 'site-a', state: 'Ready', nodes: 2, parts: 1, since };
    expect(await remembered(plane)).toEqual([ready]);
    plane.clock.advance(15 * SECOND);
    let writes = 0;
    const { replaceSighting } = plane.state.control;
    const control: ControlPlane['state']['control'] = {
      ...plane.state.control,
      replaceSighting: (...args) => {
        if (args[0].name.startsWith('relay/')) writes += 1;
        return replaceSighting(...args);
      },
    };
    await pass(plane, { control });
    expect(writes).toBe(0);
    plane.clock.advance(15 * SECOND);
    await pass(plane, { control });
    expect(writes).toBe(1);
    expect(await remembered(plane)).toEqual([{ ...ready, state: 'CutOff', since: plane.clock.now() }]);
    const { heartbeats } = plane.state;
    const { roster } = await heartbeats.readRelay(partOf('site-a'));
    const gone = closed(roster, plane.clock.now());
    await heartbeats.replaceRoster(partOf('site-a'), roster?.revision, gone, plane.clock.now() + DAY);
    plane.clock.advance(5 * SECOND);
    expect(await pass(plane)).toMatchObject({ silentRelays: 0, cutOffNodes: 0 });
    expect(await remembered(plane)).toEqual([]);
  });
});
