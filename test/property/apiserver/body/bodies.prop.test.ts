import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import { encodeBody } from '../../../support/objects/protobuf-encoder.ts';
import { valuesOf } from '../../../support/objects/schema-arbitraries.ts';
import { createTestApi, LEASES, NODES, nodeBody, PODS, podBody } from '../../../support/servers/api.ts';

const PROTOBUF = 'application/vnd.kubernetes.protobuf';
const YAML = 'application/yaml';
const JSON_TYPE = 'application/json';

const KINDS = {
  Node: { apiVersion: 'v1', message: 'core.v1.Node', path: NODES },
  Pod: { apiVersion: 'v1', message: 'core.v1.Pod', path: PODS },
  Event: { apiVersion: 'v1', message: 'core.v1.Event', path: '/api/v1/namespaces/default/events' },
  Lease: { apiVersion: 'coordination.k8s.io/v1', message: 'coordination.v1.Lease', path: LEASES },
} as const;

type Kind = keyof typeof KINDS;
type Members = Record<string, unknown>;
type Value = { kind: string; apiVersion: string } & Record<string, unknown>;

const kinds = fc.constantFrom(...(Object.keys(KINDS) as Kind[]));

const options = valuesOf(kindSchema('apis.meta.v1.DeleteOptions')).map((value) => ({
  ...value,
  kind: 'DeleteOptions',
  apiVersion: 'v1',
}));

/** Of any shape, but of the name that is asked for: what is refused at the door tests nothing behind it. */
const whole = (kind: Kind): fc.Arbitrary<Value> =>
  valuesOf(kindSchema(KINDS[kind].message), 6).map((value) => {
    const { labels, annotations, ownerReferences } = ((value as Members)['metadata'] ?? {}) as Members;
    const metadata = { name: 'n1', labels, annotations, ownerReferences };
    return { ...value, metadata, kind, apiVersion: KINDS[kind].apiVersion };
  });

const odd = fc.oneof(
  fc.constantFrom<unknown>(null, [], {}, '', 'x', -1, 1.5, 2 ** 40, 1e300, true, [[]], [null], { a: null }),
  fc.constantFrom<unknown>('__proto__', '9999-99-99T99:99:99Z', '1e999', '-', 'Ki', '\u{0}', '\u{D800}'),
  fc.jsonValue(),
);

/** Puts `value` somewhere into an object: `path` chooses a member of each level. */
const withOdd = (object: unknown, path: readonly number[], value: unknown): unknown => {
  const [step, ...rest] = path;
  if (typeof object !== 'object' || object === null || step === undefined) return value;
  const keys = Object.keys(object);
  const key = keys[step % Math.max(1, keys.length)] ?? 'added';
  if (Array.isArray(object))
    return object.map((one, at) => (at === Number(key) ? withOdd(one, rest, value) : one));
  return { ...object, [key]: withOdd((object as Members)[key], rest, value) };
};

const broken = (bytes: Uint8Array): fc.Arbitrary<Uint8Array> =>
  fc
    .record({
      length: fc.nat({ max: bytes.length }),
      at: fc.nat({ max: Math.max(0, bytes.length - 1) }),
      byte: fc.nat({ max: 255 }),
      cuts: fc.boolean(),
    })
    .map(({ length, at, byte, cuts }) => {
      const changed = Uint8Array.from(bytes);
      if (at < changed.length) changed[at] = byte;
      return cuts ? bytes.subarray(0, length) : changed;
    });

const textBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value) ?? '');

interface Body {
  readonly kind: Kind;
  readonly type: string;
  readonly raw: Uint8Array;
}

const wrongTypes = (kind: Kind): fc.Arbitrary<Uint8Array> =>
  fc
    .tuple(whole(kind), fc.array(fc.nat({ max: 9 }), { minLength: 1, maxLength: 6 }), odd)
    .map(([value, path, wrong]) => textBytes(withOdd(value, path, wrong)));

const deep = fc
  .tuple(fc.constantFrom('[', '{"a":', '{"metadata":', '- ', '? '), fc.constantFrom(10, 999, 9_999, 20_000))
  .map(([unit, times]) => new TextEncoder().encode(unit.repeat(times)));

const anyType = fc.constantFrom(JSON_TYPE, YAML, PROTOBUF);

const bodies: fc.Arbitrary<Body> = kinds.chain((kind) => {
  const made = (type: string, raw: fc.Arbitrary<Uint8Array>) =>
    fc.record({ kind: fc.constant(kind), type: fc.constant(type), raw });
  const text = whole(kind).map(textBytes);
  const message = whole(kind).map((value) => encodeBody(value, KINDS[kind].message));
  return fc.oneof(
    made(JSON_TYPE, wrongTypes(kind)),
    made(YAML, wrongTypes(kind)),
    made(JSON_TYPE, text),
    made(PROTOBUF, message),
    made(JSON_TYPE, text.chain(broken)),
    made(YAML, text.chain(broken)),
    made(PROTOBUF, message.chain(broken)),
    made(
      PROTOBUF,
      options.map((value) => encodeBody(value, 'apis.meta.v1.DeleteOptions')),
    ),
    made(JSON_TYPE, options.map(textBytes)),
    anyType.chain((type) => made(type, fc.uint8Array({ maxLength: 80 }))),
    anyType.chain((type) => made(type, deep)),
  );
});

const api = createTestApi();
const requests = fc.record({
  body: bodies,
  method: fc.constantFrom('POST', 'PUT', 'PUT', 'PUT status', 'PUT status', 'DELETE'),
  validation: fc.constantFrom('', '?fieldValidation=Strict', '?fieldValidation=Ignore'),
});

beforeAll(async () => {
  await api.send('POST', NODES, { as: 'admin', body: nodeBody('n1') });
  await api.send('POST', PODS, { as: 'admin', body: podBody('n1') });
});

const pathFor = ({ kind }: Body, method: string): string => {
  const { path } = KINDS[kind];
  if (method === 'POST') return path;
  return method === 'PUT status' && kind !== 'Lease' && kind !== 'Event' ? `${path}/n1/status` : `${path}/n1`;
};

it('answers any body with an object or with the Status of a client error', async () => {
  await fc.assert(
    fc.asyncProperty(requests, async ({ body, method, validation }) => {
      const { type, raw } = body;
      const url = `${pathFor(body, method)}${validation}`;
      const received = await api.send(method.split(' ')[0] ?? '', url, { as: 'admin', type, raw });
      expect(received.code, JSON.stringify(received.json)).toBeLessThan(500);
      expect(received.json).toMatchObject({ apiVersion: expect.any(String), kind: expect.any(String) });
    }),
    { numRuns: 500 },
  );
});

afterAll(() => {
  expect(api.failures).toEqual([]);
});
