import fc from 'fast-check';
import { afterAll, describe, expect, it } from 'vitest';
import { createMemoryState } from '../../../../shared/adapters/memory/state.ts';
import type { Again, HttpRequest, HttpResponse } from '../../../../shared/apiserver/contract/http.ts';
import type { Lease } from '../../../../shared/kube/types/coordination.ts';
import { encodeBody } from '../../../support/objects/protobuf-encoder.ts';
import {
  createTestApi,
  heartbeatPath,
  keysSigningWith,
  LEASES,
  NODES,
  nodeBody,
  tokenPath,
} from '../../../support/servers/api.ts';

/** A server with one Node and its Lease. `isShort`: what was answered before is answered by `again`, as a listener does. */
const createWorld = async (isShort: boolean) => {
  const state = createMemoryState();
  let kid = 'k1';
  const signingKeys = {
    now: () => keysSigningWith(kid).now(),
    current: () => keysSigningWith(kid).current(),
    find: (wanted: string) => keysSigningWith(kid).find(wanted),
  };
  const repeats = { beats: state.beatsAtOnce, signingKeys };
  const api = createTestApi({ state, signingKeys, ...(isShort ? { repeats } : {}) });
  const agains = new Map<string, Again>();
  let repeated = 0;
  const { json } = await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
  const sender = { as: 'system:node:n1', nodeUid: json.metadata.uid as string };
  const asked = await api.send('POST', tokenPath('n1'), sender);
  const token: string = asked.json.status.token;
  const made = {
    ...nodeBody('n1'),
    metadata: { name: 'n1', labels: { a: 'b' } },
    spec: { holderIdentity: 'n1' },
  };
  const lease = (await api.send('POST', LEASES, { token, body: made })).json as Lease;
  const answer = async (request: HttpRequest): Promise<HttpResponse> => {
    const { method, path, headers } = request;
    const head = JSON.stringify([method, path, headers, request.body.byteLength]);
    const short = isShort ? agains.get(head)?.(request.body) : undefined;
    if (short) repeated += 1;
    const response = short ?? (await api.serve(request));
    if (response.again) agains.set(head, response.again);
    return response;
  };
  return {
    ...api,
    token,
    /** The Lease as it was last answered. */
    last: { lease },
    answer,
    sign: (next: string) => {
      kid = next;
    },
    repeated: () => repeated,
    stored: () => state.heartbeats.read({ namespace: 'kube-node-lease', name: 'n1' }),
  };
};

type World = Awaited<ReturnType<typeof createWorld>>;

const digits = fc.integer({ min: 1, max: 999_999 });
const times = fc.oneof(
  {
    weight: 12,
    arbitrary: fc
      .integer({ min: 0, max: 2e9 })
      .map((ms) => new Date(1.7e12 + ms).toISOString().replace('Z', '000Z')),
  },
  {
    weight: 4,
    arbitrary: fc
      .tuple(fc.integer({ min: 0, max: 99 }), digits)
      .map(([s, us]) => `2026-03-01T12:00:${String(s).padStart(2, '0')}.${String(us).padStart(6, '0')}Z`),
  },
  fc.constantFrom(
    '2026-02-29T12:00:00.000000Z',
    '2026-13-01T12:00:00.000000Z',
    '2026-03-01T12:00:00+01:00',
    '1999-12-31T23:59:59.999999Z',
    '',
    'x',
  ),
);
const versions = fc.oneof(
  { weight: 20, arbitrary: fc.constant('last' as const) },
  fc.constantFrom(
    'stale' as const,
    'later' as const,
    'zero' as const,
    'none' as const,
    'padded' as const,
    'text' as const,
  ),
);
const mutations = fc.option(
  fc.record({ at: fc.double({ min: 0, max: 1, noNaN: true }), byte: fc.integer({ min: 0, max: 255 }) }),
  { freq: 8, nil: undefined },
);
const decoys = fc.oneof(
  { weight: 12, arbitrary: fc.constant('none') },
  fc.constantFrom('annotation', 'label', 'field'),
);
const renewals = fc.record({
  does: fc.constant('renew' as const),

  time: times,
  version: versions,
  mutation: mutations,
  decoy: decoys,
});
const changes = fc
  .constantFrom(
    'deleteNode',
    'makeNode',
    'deleteLease',
    'labelLease',
    'announce',
    'rotate',
    'return',
    'forget',
  )
  .map((what) => ({ does: 'change' as const, what }));
const steps = fc.array(
  fc.oneof(
    { weight: 16, arbitrary: renewals },
    {
      weight: 5,
      arbitrary: fc.record({
        does: fc.constant('beat' as const),
        body: fc.constantFrom('', '', '', '{}', '{"intervalSeconds":3}', '{"intervalSeconds":-1}', '['),
      }),
    },
    {
      weight: 5,
      arbitrary: fc.record({
        does: fc.constant('wait' as const),
        ms: fc.oneof({ weight: 40, arbitrary: fc.nat(20_000) }, { weight: 1, arbitrary: fc.constant(2e8) }),
      }),
    },
    { weight: 1, arbitrary: changes },
  ),
  { minLength: 10, maxLength: 80, size: 'max' },
);
type Step = typeof steps extends fc.Arbitrary<(infer S)[]> ? S : never;
type RenewStep = Extract<Step, { does: 'renew' }>;

const versionOf = (kind: RenewStep['version'], last: string): string | undefined =>
  ({
    last,
    stale: String(Number(last) - 1),
    later: String(Number(last) + 7),
    zero: '0',
    none: undefined,
    padded: `0${last.slice(1)}`,
    text: `x${last.slice(1)}`,
  })[kind];

const bodyOf = (
  { time, version, mutation, decoy }: RenewStep,
  isJson: boolean,
  { last }: World,
): Uint8Array => {
  const { metadata, spec } = last.lease;
  const resourceVersion = versionOf(version, metadata.resourceVersion ?? '1');
  const { resourceVersion: _, ...kept } = metadata;
  const decoyed = { resourceVersion: metadata.resourceVersion ?? '', renewTime: time };
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      ...kept,
      ...(decoy === 'annotation' ? { annotations: decoyed } : {}),
      ...(decoy === 'label' ? { labels: { resourceVersion: decoyed.resourceVersion } } : {}),
      ...(resourceVersion === undefined ? {} : { resourceVersion }),
    },
    spec: { ...spec, renewTime: time },
    ...(decoy === 'field' && isJson ? { unknown: decoyed } : {}),
  };
  const isReadable = !Number.isNaN(Date.parse(time));
  const body =
    isJson || !isReadable
      ? Buffer.from(JSON.stringify(lease))
      : Buffer.from(encodeBody(lease, 'coordination.v1.Lease'));
  if (mutation) body[Math.floor(mutation.at * (body.byteLength - 1))] = mutation.byte;
  return body;
};

const change = async (what: string, world: World): Promise<unknown> => {
  const { send, last, sign, advance } = world;
  const changesOf: Readonly<Record<string, () => Promise<unknown>>> = {
    deleteNode: () => send('DELETE', `${NODES}/n1`),
    makeNode: () => send('POST', NODES, { as: 'admin', body: nodeBody('n1') }),
    deleteLease: () => send('DELETE', `${LEASES}/n1`),
    labelLease: () =>
      send('PUT', `${LEASES}/n1`, {
        as: 'admin',
        body: {
          ...last.lease,
          metadata: { name: 'n1', labels: { a: 'c' }, resourceVersion: last.lease.metadata.resourceVersion },
        },
      }),
    announce: () => world.heartbeats.bumpWorkRevision('n1', world.clock.now()),
    rotate: async () => sign('k2'),
    return: async () => sign('k1'),
    forget: async () => advance(86_400_000),
  };
  return changesOf[what]?.();
};

const UID = /00000000-0000-4000-8000-\d{12}/g;

/** What a client sees of the answer; uids are made in turn, and a refused renewal takes one. */
const seen = ({ status, headers, body }: HttpResponse): object => ({
  status,
  headers,
  body: String(body).replaceAll(UID, 'uid'),
});

const play = async (step: Step, isJson: boolean, world: World): Promise<object | undefined> => {
  if (step.does === 'wait') world.advance(step.ms);
  if (step.does === 'change') await change(step.what, world);
  if (step.does === 'wait' || step.does === 'change') return undefined;
  const { token } = world;
  const request =
    step.does === 'beat'
      ? await world.requestOf('POST', heartbeatPath('n1'), { token, raw: step.body })
      : await world.requestOf('PUT', `${LEASES}/n1`, {
          token,
          raw: bodyOf(step, isJson, world),
          type: isJson ? 'application/json' : 'application/vnd.kubernetes.protobuf',
          headers: { accept: 'application/vnd.kubernetes.protobuf,application/json' },
        });
  const response = await world.answer(request);
  if (step.does === 'renew' && response.status === 200)
    world.last.lease = JSON.parse(String(response.body)) as Lease;
  return seen(response);
};

describe('a beat that is answered in the same turn (J-300, J-301, J-302)', () => {
  let [answered, short] = [0, 0];
  afterAll(() => {
    // Usually a sixteenth: three requests with the same head have to come before one of them.
    expect(short / answered).toBeGreaterThan(0.02);
  });

  it('is answered and stored as the ordinary way does, whatever is sent and whatever happens in between', async () => {
    await fc.assert(
      fc.asyncProperty(steps, fc.boolean(), async (all, isJson) => {
        const [ordinary, other] = [await createWorld(false), await createWorld(true)];
        for (const step of all) {
          const expected = await play(step, isJson, ordinary);
          expect(await play(step, isJson, other)).toEqual(expected);
          answered += Number(expected !== undefined);
        }
        const text = async (world: World) => JSON.stringify(await world.stored())?.replaceAll(UID, 'uid');
        expect(await text(other)).toEqual(await text(ordinary));
        short += other.repeated();
      }),
    );
  });
});
