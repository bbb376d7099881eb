import { beforeEach, describe, expect, it } from 'vitest';
import { NODES } from '../../support/servers/api.ts';
import { createRelayWorld, LEASES, type Machine } from '../../support/servers/relay-world.ts';

type World = ReturnType<typeof createRelayWorld>;
type Relay = Awaited<ReturnType<World['startRelay']>>;

const SECOND = 1_000;
const HOUR = 3_600 * SECOND;

let world: World;
let relay: Relay;
let m1: Machine;

beforeEach(async () => {
  world = createRelayWorld();
  relay = await world.startRelay('site-a');
  m1 = await world.machine('m1');
});

/** The machine joins, and a batch is accepted. */
const join = async (machine = m1): Promise<void> => {
  expect((await world.beat(relay, machine))?.code).toBe(200);
  world.advance(SECOND);
  await relay.sender.tick();
};

/** Time goes on; the machines beat each ten seconds, and the relay works twice a second. */
const live = async (seconds: number, machines: readonly Machine[], one = relay): Promise<void> => {
  for (let half = 0; half < seconds * 2; half += 1) {
    if (half % 20 === 0) for (const machine of machines) await world.beat(one, machine);
    world.advance(SECOND / 2);
    await one.sender.tick();
  }
};

describe('a machine behind a relay', () => {
  it('beats through to the API once, then the relay answers', async () => {
    await join();
    const before = world.requests.length;
    world.advance(2 * SECOND);
    const answer = await world.beat(relay, m1);
    expect(answer).toMatchObject({
      code: 200,
      json: {
        kind: 'HeartbeatReceipt',
        node: 'm1',
        graceSeconds: 40,
        nextHeartbeatSeconds: 10,
        workRevision: '0',
      },
    });
    expect(world.requests).toHaveLength(before);
  });

  it('is known to the control plane by its age, whatever the clock of the relay says', async () => {
    await join();
    world.setClock(-HOUR / 2);
    world.advance(4 * SECOND);
    await world.beat(relay, m1);
    const beatenAt = world.now();
    world.setClock(HOUR);
    world.advance(6 * SECOND);
    await relay.sender.tick();
    expect(await world.heardAt(m1)).toBe(beatenAt);
  });

  it('learns of new work with a beat after the next batch', async () => {
    await join();
    await world.api.heartbeats.bumpWorkRevision('m1', 7);
    await live(11, [m1]);
    expect((await world.beat(relay, m1))?.json.workRevision).toBe('7');
  });

  it('gets 401 or 404 within five minutes after its Node was deleted', async () => {
    await join();
    await world.api.send('DELETE', `${NODES}/m1`);
    await live(320, [m1]);
    expect((await world.beat(relay, m1))?.code).toBeGreaterThanOrEqual(401);
  });

  it('with the token of another node is refused by the API', async () => {
    await join();
    const m2 = await world.machine('m2');
    expect((await world.send(relay, m2, 'POST', '/apis/rollcall.dev/v1/nodes/m1/heartbeat'))?.code).toBe(403);
  });

  it.each([
    ['that is forged', (token: string) => `${token.slice(0, -4)}AAAA`],
    ['that is none', () => 'nonsense'],
  ])('with a token %s is refused by the API', async (_name, forge) => {
    await join();
    const answer = await world.beat(relay, { ...m1, token: forge(m1.token) });
    expect(answer?.code).toBe(401);
  });

  it('goes through again with a new token, and when its token has expired', async () => {
    const short = await world.machine('m2', HOUR);
    await join(short);
    world.advance(HOUR);
    expect((await world.beat(relay, short))?.code).toBe(401);
  });

  it('asks for everything else at the API', async () => {
    await join();
    expect(await world.send(relay, m1, 'GET', '/apis/rollcall.dev/v1/nodes/m1/work')).toBeUndefined();
  });

  it('gets a mistake in its heartbeat explained by the API', async () => {
    await join();
    const wrong = { intervalSeconds: -1 };
    const path = '/apis/rollcall.dev/v1/nodes/m1/heartbeat';
    expect(await world.send(relay, m1, 'POST', path, wrong)).toBeUndefined();
  });
});

describe('a beat that a connection repeats', () => {
  it('is answered at once, and counts', async () => {
    await join();
    const first = await world.beat(relay, m1);
    world.advance(4 * SECOND);
    expect(first?.again?.({})).toMatchObject({ kind: 'HeartbeatReceipt', node: 'm1', workRevision: '0' });
    const beatenAt = world.now();
    world.advance(9 * SECOND);
    await relay.sender.tick();
    expect(await world.heardAt(m1)).toBe(beatenAt);
  });

  it('goes the ordinary way if it says something else', async () => {
    await join();
    expect((await world.beat(relay, m1))?.again?.({ intervalSeconds: 5 })).toBeUndefined();
  });

  it('goes the ordinary way when its token has expired', async () => {
    const short = await world.machine('m2', HOUR);
    await join(short);
    const first = await world.beat(relay, short);
    world.advance(HOUR);
    expect(first?.again?.({})).toBeUndefined();
  });

  it('goes the ordinary way when the relay has lost its uplink, when its Node was deleted, and after a newer token', async () => {
    await join();
    const first = await world.beat(relay, m1);
    world.setFault('lost');
    await live(60, []);
    expect(first?.again?.({})).toBeUndefined();
    world.setFault('none');
    await live(10, [m1]);
    expect(first?.again?.({})).toBeDefined();
    await world.beat(relay, { ...m1, token: await world.newToken(m1) });
    expect(first?.again?.({})).toBeUndefined();
    await world.api.send('DELETE', `${NODES}/m1`);
    await live(320, []);
    expect((await world.beat(relay, m1))?.again).toBeUndefined();
  });

  it('that goes through to the API is not repeated', async () => {
    expect((await world.beat(relay, m1))?.again).toBeUndefined();
  });
});

describe('a relay that was suspended', () => {
  it('hears the beats that waited before it sends ages, and those of the next seconds soon (J-202)', async () => {
    const m2 = await world.machine('m2');
    await join();
    await join(m2);
    await live(20, [m1, m2]);
    world.advance(34 * SECOND);
    await relay.sender.tickOnce();
    await world.beat(relay, m1);
    const wokeAt = world.now();
    world.advance(SECOND / 5);
    await relay.sender.tickOnce();
    expect(await world.heardAt(m1)).toBe(wokeAt);
    world.advance(SECOND);
    await world.beat(relay, m2);
    world.advance(SECOND / 2);
    await relay.sender.tickOnce();
    expect(await world.heardAt(m2)).toBe(world.now() - SECOND / 2);
  });
});

describe('places in parts', () => {
  it('of Nodes that are gone are given to others', async () => {
    const full = await Promise.all(Array.from({ length: 100 }, (_, index) => world.machine(`a${index}`)));
    for (const machine of full) await world.beat(relay, machine);
    await live(4, []);
    for (const { name } of full.slice(0, 50)) await world.api.send('DELETE', `${NODES}/${name}`);
    await live(320, full);
    const others = await Promise.all(Array.from({ length: 50 }, (_, index) => world.machine(`b${index}`)));
    for (const machine of others) await world.beat(relay, machine);
    expect(relay.site.parts()).toHaveLength(1);
  });
});

describe('a Lease behind a relay', () => {
  const body = (rest: object = {}) => ({
    kind: 'Lease',
    apiVersion: 'coordination.k8s.io/v1',
    metadata: { name: 'm1', namespace: 'kube-node-lease', ...rest },
    spec: { holderIdentity: 'm1', leaseDurationSeconds: 40 },
  });

  it('is renewed by the relay with the version that is stored at the API', async () => {
    const made = await world.api.sendHeartbeat('POST', LEASES, { token: m1.token, body: body() });
    const renew = (lease: object) => world.send(relay, m1, 'PUT', `${LEASES}/m1`, lease);
    const first = await renew(made.json);
    expect(first?.code).toBe(200);
    world.advance(SECOND);
    await relay.sender.tick();
    const before = world.requests.length;
    world.advance(3 * SECOND);
    const second = await renew(first?.json);
    expect(second).toMatchObject({
      code: 200,
      headers: { 'rollcall-work-revision': '0' },
      json: { kind: 'Lease', metadata: { resourceVersion: first?.json.metadata.resourceVersion } },
    });
    world.advance(3 * SECOND);
    const renewTime = new Date(world.now()).toISOString().replace('Z', '000Z');
    expect(second?.again?.(body())).toMatchObject({ kind: 'Lease', spec: { renewTime } });
    expect(world.requests).toHaveLength(before);
    const renewedAt = world.now();
    await live(10, []);
    expect(await world.heardAt(m1)).toBe(renewedAt);
    const straight = await world.api.sendHeartbeat('PUT', `${LEASES}/m1`, {
      token: m1.token,
      body: second?.json,
    });
    expect(straight.code).toBe(200);
  });
});

describe('an uplink that is cut', () => {
  it('leaves the true ages when it is back: of those that lived, and of those that died meanwhile', async () => {
    const m2 = await world.machine('m2');
    await join();
    await join(m2);
    await live(20, [m1, m2]);
    world.setFault('lost');
    await live(60, [m1, m2]);
    const diedAt = world.now() - 10 * SECOND;
    await live(60, [m1]);
    world.setFault('none');
    await live(11, []);
    expect(await world.heardAt(m2)).toBe(diedAt);
    expect(await world.heardAt(m1)).toBe(world.now() - 21 * SECOND);
  });

  it('is told the machines once the control plane takes them for silent; the age is kept', async () => {
    await join();
    world.setFault('lost');
    await live(30, [m1]);
    expect((await world.beat(relay, m1))?.code).toBe(200);
    await live(20, [m1]);
    const answer = await world.beat(relay, m1);
    expect(answer).toMatchObject({ code: 503, json: { details: { retryAfterSeconds: 10 } } });
    const beatenAt = world.now();
    world.setFault('none');
    await live(10, []);
    expect(await world.heardAt(m1)).toBe(beatenAt);
    expect((await world.beat(relay, m1))?.code).toBe(200);
  });

  it.each(['lost', 'busy'] as const)(
    'is tried less often, and only with the newest ages: %s',
    async (fault) => {
      await join();
      world.setFault(fault);
      world.sent.batches = 0;
      await live(120, [m1]);
      expect(world.sent.batches).toBeGreaterThan(10);
      expect(world.sent.batches).toBeLessThan(20);
    },
  );

  it('that loses answers only makes no batch count twice', async () => {
    await join();
    world.setFault('answerLost');
    await live(30, [m1]);
    world.setFault('none');
    await live(21, [m1]);
    expect(await world.heardAt(m1)).toBeGreaterThanOrEqual(world.now() - 21 * SECOND);
    expect((await world.beat(relay, m1))?.code).toBe(200);
  });
});

describe('a relay that was started anew', () => {
  it('goes on from the stored sequence, and loses no beat', async () => {
    await join();
    await live(40, [m1]);
    const again = await world.startRelay('site-a');
    await live(60, [m1], again);
    expect(await world.heardAt(m1)).toBeGreaterThanOrEqual(world.now() - 20 * SECOND);
  });

  it('does not make nodes older that it has not heard yet', async () => {
    const m2 = await world.machine('m2');
    await join();
    await join(m2);
    await live(20, [m1, m2]);
    const heardAt = await world.heardAt(m2);
    const again = await world.startRelay('site-a');
    await live(15, [m1], again);
    expect(await world.heardAt(m2)).toBe(heardAt);
  });
});

describe('two relays', () => {
  it('of one site each say what they hear, and the newest counts', async () => {
    const other = await world.startRelay('site-b');
    await join();
    await world.beat(other, m1);
    await live(30, [m1]);
    await live(20, [], other);
    expect(await world.heardAt(m1)).toBeGreaterThanOrEqual(world.now() - 40 * SECOND);
    expect(world.warnings).toEqual([]);
  });

  it('of one name take turns, and what each has heard counts', async () => {
    const twin = await world.startRelay('site-a');
    const m2 = await world.machine('m2');
    await join();
    await world.beat(twin, m2);
    for (let second = 0; second < 60; second += 1) {
      if (second % 10 === 0) await world.beat(relay, m1);
      if (second % 10 === 0) await world.beat(twin, m2);
      world.advance(SECOND);
      await relay.sender.tick();
      await twin.sender.tick();
    }
    expect(await world.heardAt(m1)).toBeGreaterThanOrEqual(world.now() - 25 * SECOND);
    expect(await world.heardAt(m2)).toBeGreaterThanOrEqual(world.now() - 25 * SECOND);
  });
});

describe('a large site', () => {
  it('has a part for each 100 nodes, and one request for all of them each ten seconds (J-328)', async () => {
    const machines = await Promise.all(Array.from({ length: 150 }, (_, n) => world.machine(`n${n}`)));
    await live(30, machines);
    world.sent.batches = 0;
    world.requests.length = 0;
    await live(60, machines);
    expect(world.sent.batches).toBe(6);
    expect(world.requests).toHaveLength(6);
    for (const machine of machines)
      expect(await world.heardAt(machine)).toBeGreaterThanOrEqual(world.now() - 20 * SECOND);
  });
});
