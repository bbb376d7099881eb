import { beforeEach, describe, expect, it } from 'vitest';
import { GATEWAY_LIMITS } from '../../../gateway/forward/admission.ts';
import { createGatewayServe } from '../../../gateway/serve.ts';
import type { Upstream } from '../../../gateway/upstream/upstream.ts';
import { createKnownSenders } from '../../../relay/start.ts';
import { beatPath, createRelayWorld, LEASES, type Machine } from '../../support/servers/relay-world.ts';

const SECOND = 1_000;

type World = ReturnType<typeof createRelayWorld>;

let world: World;
let known: Machine;
let stranger: Machine;
let relay: Awaited<ReturnType<World['startRelay']>>;
let senders: ReturnType<typeof createKnownSenders>;
const identified: string[] = [];

beforeEach(async () => {
  identified.length = 0;
  world = createRelayWorld();
  relay = await world.startRelay('site-a');
  known = await world.machine('m1');
  stranger = await world.machine('m2');
  await world.beat(relay, known);
  world.advance(SECOND);
  await relay.sender.tick();
  senders = createKnownSenders(relay.site);
});

const placeOf = (token: string, method = 'POST', path = beatPath('m1')) =>
  senders.placeOf({
    method,
    path,
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${token}` },
    onSender: (name) => identified.push(name),
  });

describe('a machine that the relay knows (J-325)', () => {
  it.each([
    ['a beat', 'POST', beatPath('m1'), true],
    ['a renewal', 'PUT', `${LEASES}/m1`, true],
    ['work', 'GET', '/apis/rollcall.dev/v1/nodes/m1/work', false],
    ['a beat of another node', 'POST', beatPath('m2'), false],
  ])('%s', (_name, method, path, hasOwn) => {
    expect(placeOf(known.token, method, path) !== undefined).toBe(hasOwn);
    expect(identified).toEqual(['m1']);
  });

  it('has eight places for its beats', () => {
    const places = Array.from({ length: 8 }, () => placeOf(known.token));
    expect(() => placeOf(known.token)).toThrow('m1 has 8 beats in flight, which is the limit');
    places[0]?.();
    expect(placeOf(known.token)).toBeDefined();
  });
});

describe('a stranger', () => {
  it.each([
    ['a machine that has not joined', () => stranger.token],
    ['a forged token', () => `${known.token.slice(0, -4)}AAAA`],
    ['no token', () => ''],
  ])('%s has none of its own', (_name, token) => {
    expect(placeOf(token())).toBeUndefined();
    expect(identified).toEqual([]);
  });
});

describe('a relay with as many half-sent requests of strangers as it has places', () => {
  const nowhere: Upstream = {
    send: () => Promise.reject(new Error('nobody asks the API')),
    open: () => Promise.reject(new Error('nobody asks the API')),
    close: () => undefined,
  };
  const beat = ({ name, token }: Machine) => ({
    method: 'POST',
    path: beatPath(name),
    query: new URLSearchParams(),
    headers: { authorization: `Bearer ${token}` },
  });

  it('answers the beats of machines that it knows, and of nobody else (J-325)', async () => {
    const serve = createGatewayServe(
      {
        upstream: nowhere,
        clock: { now: world.now, sleep: async () => undefined },
        random: () => 0,
        hostLog: { info: () => undefined, warn: () => undefined, error: () => undefined },
        limits: { ...GATEWAY_LIMITS, requests: 1 },
        placeOf: senders.placeOf,
      },
      [relay.route],
    );
    let end: (body: Uint8Array) => void = () => undefined;
    const halfSent = serve({
      ...beat(stranger),
      body: () => new Promise<Uint8Array>((resolve) => (end = resolve)),
    });
    expect((await serve({ ...beat(known), body: new Uint8Array() })).status).toBe(200);
    expect((await serve({ ...beat(stranger), body: new Uint8Array() })).status).toBe(429);
    end(new Uint8Array());
    expect((await halfSent).status).not.toBe(429);
  });
});
