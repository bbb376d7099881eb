// A pass counts nodes behind relays by their places. It must find what it would find by their names, whatever becomes of nodes, rosters and the clock
// between two passes, and also if passes overlap.

import { setImmediate as turn } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createFleetItems, type FleetItems } from '../../../../lambdas/node-monitor/judge/fleet-items.ts';
import { createFleetPlaces, type FleetPlaces } from '../../../../lambdas/node-monitor/judge/fleet-places.ts';
import { nodesCutOff, relaysOf } from '../../../../lambdas/node-monitor/judge/partitions.ts';
import { readFleet } from '../../../../lambdas/node-monitor/judge/read-fleet.ts';
import { NODE_MONITOR_DEFAULTS } from '../../../../lambdas/node-monitor/reconcile.ts';
import { eventual } from '../../../../shared/ports/store/eventual.ts';
import {
  type HeartbeatItem,
  partPath,
  RELAY_BEATS,
  RELAY_ROSTERS,
} from '../../../../shared/ports/store/heartbeats.ts';
import type { NodeHealthRow } from '../../../../shared/rules/nodes/node-health.ts';
import { packAges } from '../../../../shared/rules/relays/packed-ages.ts';
import type { RelayBeats, RelayPart, RelayRoster } from '../../../../shared/rules/relays/relay-items.ts';
import { zoneKeyOf } from '../../../../shared/rules/zones/zone-names.ts';
import { beatsFor } from '../../../../shared/store/beats/node-beats.ts';
import { foundRelays, heardItems, type Picture } from './relayed-model.ts';

const SECOND = 1_000;
const START_AT = 1_800_000_000_000;
const GRACE_MS = 40 * SECOND;
const config = { ...NODE_MONITOR_DEFAULTS, nodeMonitorGracePeriodMs: GRACE_MS };
const RELAYS: readonly RelayPart[] = ['a', 'b'].flatMap((relay) => [
  { relay, part: 0 },
  { relay, part: 2 },
]);

const name = fc.integer({ min: 0, max: 5 }).map((index) => `n${index}`);
/** A Node of a name that was made anew has another uid. */
const node = fc
  .record({ name, made: fc.nat(1) })
  .map(({ name: one, made }) => ({ name: one, uid: `${one}-${made}` }));
/** Also the uid of one Node with the name of another. */
const entry = fc.oneof(
  { weight: 20, arbitrary: node },
  { weight: 1, arbitrary: fc.record({ name, uid: node.map(({ uid }) => uid) }) },
);
const agoMs = fc.oneof(
  fc.integer({ min: -30 * SECOND, max: 90 * SECOND }),
  fc.integer({ min: 20 * SECOND, max: 60 * SECOND }),
  fc.constantFrom(-1_000, -1_001, GRACE_MS / 2, GRACE_MS / 2 + 1),
);
const ageMs = fc.oneof(fc.integer({ min: 0, max: 60 * SECOND }), fc.constantFrom(GRACE_MS, GRACE_MS + 1));
const maybe = <T>(one: fc.Arbitrary<T>) => fc.option(one, { nil: undefined });
const revision = fc.integer({ min: 1, max: 3 });
const part = fc.constantFrom(...RELAYS);

/** `copies`: what is read is equal to what was read before, and not the same objects. */
const step = fc.oneof(
  {
    weight: 2,
    arbitrary: fc.record({ is: fc.constant('node' as const), node, place: fc.nat(5), zone: fc.nat(5) }),
  },
  fc.record({ is: fc.constant('gone' as const), name }),
  {
    weight: 2,
    arbitrary: fc.record({
      is: fc.constant('item' as const),
      node,
      ago: fc.record({
        leaseAt: maybe(agoMs),
        statusAt: maybe(agoMs),
        plainAt: maybe(agoMs),
        relayAt: maybe(agoMs),
        aheadAt: maybe(agoMs),
      }),
      isThere: fc.boolean(),
      hasObserved: fc.boolean(),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('roster' as const),
      part,
      revision,
      entries: fc.array(fc.record({ node: entry, since: revision }), { maxLength: 5 }),
      isThere: fc.integer({ min: 0, max: 5 }).map((one) => one > 0),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      is: fc.constant('batch' as const),
      part,
      revision,
      ago: agoMs,
      ages: fc.array(fc.option(fc.record({ ageMs, isPlain: fc.boolean() })), { maxLength: 6 }),
      ahead: maybe(agoMs),
    }),
  },
  fc.record({ is: fc.constant('clock' as const), byMs: agoMs }),
  fc.record({ is: fc.constant('copies' as const) }),
  {
    weight: 3,
    arbitrary: fc.record({ is: fc.constant('pass' as const), floorAgo: agoMs, overlaps: fc.boolean() }),
  },
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

interface World {
  now: number;
  nodes: readonly NodeHealthRow[];
  readonly items: Map<string, HeartbeatItem>;
  readonly rosters: Map<string, RelayRoster>;
  readonly batches: Map<string, RelayBeats>;
}

const rowOf = ({ uid, name: own }: { readonly name: string; readonly uid: string }, zone: number) => ({
  name: own,
  uid,
  zone: zoneKeyOf(zone === 0 ? {} : { 'topology.kubernetes.io/zone': `z${zone}` }),
  createdAt: START_AT,
  excludeDisruption: false,
  clientReady: false,
  noExecute: [],
});

const put = <K, V>(map: Map<K, V>, key: K, value: V | undefined): void => {
  if (value === undefined) map.delete(key);
  else map.set(key, value);
};

const itemOf = ({ now }: World, { node: { name: own, uid }, ago, hasObserved }: Step & { is: 'item' }) => {
  const instants = Object.entries(ago).flatMap(([source, ms]) =>
    ms === undefined ? [] : [[source, now - ms] as const],
  );
  const observedAt = Math.max(now - 100 * SECOND, ...instants.map(([, at]) => at));
  const item = { namespace: 'kube-node-lease', name: own, uid, ...Object.fromEntries(instants) };
  return hasObserved ? { ...item, observedAt } : item;
};

/** What happens between passes. */
const change = (world: World, one: Step): void => {
  const { now, nodes, items, rosters, batches } = world;
  if (one.is === 'node') {
    const others = nodes.filter((row) => row.name !== one.node.name);
    world.nodes = others.toSpliced(one.place, 0, rowOf(one.node, one.zone));
  } else if (one.is === 'gone') world.nodes = nodes.filter((row) => row.name !== one.name);
  else if (one.is === 'item') put(items, one.node.name, one.isThere ? itemOf(world, one) : undefined);
  else if (one.is === 'roster') {
    const entries = one.entries.map(({ node: own, since }) => ({ ...own, since, untilAt: now }));
    put(rosters, partPath(one.part), one.isThere ? { revision: one.revision, entries } : undefined);
  } else if (one.is === 'batch') {
    const ahead = one.ahead === undefined ? {} : { aheadAt: now - one.ahead };
    const ages = packAges(one.ages);
    const batch = { sequence: 1, receivedAt: now - one.ago, roster: one.revision, ages, ...ahead };
    batches.set(partPath(one.part), batch);
  } else if (one.is === 'clock') world.now += one.byMs;
  else if (one.is === 'copies') {
    world.nodes = structuredClone(nodes);
    for (const [path, roster] of rosters) rosters.set(path, structuredClone(roster));
  }
};

const pictureOf = ({ now, nodes, items, rosters, batches }: World, floorAgo: number): Picture => ({
  nodes,
  items: [...items.values()],
  parts: RELAYS.flatMap((one) => {
    const [roster, beats] = [rosters.get(partPath(one)), batches.get(partPath(one))];
    return roster ? [{ part: one, roster, ...(beats ? { beats } : {}) }] : [];
  }),
  now,
  clockFloor: now - floorAgo,
  graceMs: GRACE_MS,
});

const itemsOfParts = ({ parts }: Picture): readonly HeartbeatItem[] =>
  parts.flatMap(({ part: one, roster, beats }) => [
    { namespace: RELAY_ROSTERS, name: partPath(one), ...(roster ? { roster } : {}) },
    { namespace: RELAY_BEATS, name: partPath(one), ...(beats ? { relayed: beats } : {}) },
  ]);

async function* pageOf<T>(rows: readonly T[]) {
  yield eventual(rows);
}

const storesOf = (picture: Picture) => ({
  objects: { nodeHealth: () => pageOf(picture.nodes) },
  heartbeats: { scan: () => pageOf([...picture.items, ...itemsOfParts(picture)]) },
  control: { zones: async () => [] },
});

const seen = { relayed: 0, cutOff: 0, unsure: 0, ahead: 0 };

const count = (picture: Picture, expected: ReturnType<typeof foundRelays>): void => {
  seen.cutOff += expected.cutOff.length;
  seen.unsure += expected.unsure.length;
  seen.relayed += heardItems(picture).filter((item) => item && !picture.items.includes(item)).length;
  seen.ahead += picture.parts.filter(({ beats }) => (beats?.receivedAt ?? 0) > picture.now + SECOND).length;
};

const pass = async (
  picture: Picture,
  kept: { readonly places: FleetPlaces; readonly items: FleetItems } | undefined,
  pause: (() => Promise<void>) | undefined,
) => {
  const { nodes, now, clockFloor } = picture;
  const deps = { ...storesOf(picture), ...kept, ...(pause && { pause }) };
  const fleet = await readFleet(deps, now);
  const heard = heardItems(picture);
  expect(nodes.map((_, place) => fleet.heard.observedAt(place))).toEqual(
    heard.map((item) => item?.observedAt),
  );
  expect(nodes.map((_, place) => fleet.heard.beats(place))).toEqual(
    nodes.map(({ uid }, place) => beatsFor(heard[place], uid)),
  );
  const hearing = { clockFloor, absences: [], intervalMs: 10 * SECOND };
  const found = await relaysOf(fleet, { hearing, now, config }, pause);
  const expected = foundRelays(picture);
  expect(found).toEqual(expected);
  expect([...(await nodesCutOff(found, pause))]).toEqual([
    ...new Set([...expected.cutOff, ...expected.unsure].flatMap(({ nodes: own }) => [...own])),
  ]);
  count(picture, expected);
};

/** Two sites of three nodes. */
const aWorld = (): World => {
  const all = [0, 1, 2, 3, 4, 5].map((index) => ({ name: `n${index}`, uid: `n${index}-0` }));
  const sites = [
    ['a#0', all.slice(0, 3)],
    ['b#0', all.slice(3)],
  ] as const;
  return {
    now: START_AT,
    nodes: all.map((one, index) => rowOf(one, index)),
    items: new Map(),
    rosters: new Map(
      sites.map(([path, own]) => [
        path,
        { revision: 1, entries: own.map((one) => ({ ...one, since: 1, untilAt: START_AT })) },
      ]),
    ),
    batches: new Map(),
  };
};

const days = fc.array(step, { minLength: 12, maxLength: 60, size: 'max' });

test('passes find by places what they find by names (J-164, J-166, J-167, J-322)', async () => {
  await fc.assert(
    fc.asyncProperty(days, async (steps) => {
      const kept = { places: createFleetPlaces(), items: createFleetItems() };
      const world = aWorld();
      const running: Promise<void>[] = [];
      for (const one of steps) {
        change(world, one);
        if (one.is !== 'pass') continue;
        const picture = pictureOf(world, one.floorAgo);
        running.push(pass(picture, kept, turn), pass(picture, undefined, undefined));
        if (!one.overlaps) await Promise.all(running.splice(0));
      }
      await Promise.all(running);
    }),
    { numRuns: 500 },
  );
  expect(seen.relayed).toBeGreaterThan(1_000);
  expect(seen.cutOff).toBeGreaterThan(80);
  expect(seen.unsure).toBeGreaterThan(50);
  expect(seen.ahead).toBeGreaterThan(300);
}, 60_000);
