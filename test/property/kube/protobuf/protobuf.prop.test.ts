import fc from 'fast-check';
import { expect, it } from 'vitest';
import { decodeMessage } from '../../../../shared/kube/protobuf/decode.ts';
import { DecodeError, decode } from '../../../../shared/kube/schema/decode.ts';
import { messageNames, messageOf } from '../../../../shared/kube/schema/messages.ts';
import { schemaOf } from '../../../../shared/kube/schema/schema-of.ts';
import { encodeMessage } from '../../../support/objects/protobuf-encoder.ts';
import { valuesOf } from '../../../support/objects/schema-arbitraries.ts';

const KINDS = messageNames().filter((message) => messageOf(message)?.[0]?.name === 'metadata');

const kind = fc.constantFrom(...KINDS);

const withoutKind = <T extends object>(object: T | null): T | null => {
  if (!object) return object;
  const { kind: _kind, apiVersion: _version, ...rest } = object as Record<string, unknown>;
  return rest as T;
};

/** The wire format has no kinds of the objects inside others. */
const asOnTheWire = (value: object): object =>
  JSON.parse(JSON.stringify(value), (key, inner) => {
    if (key === 'deleteOptions') return withoutKind(inner);
    return key === 'volumeClaimTemplates' ? inner.map(withoutKind) : inner;
  });

it('reads every kind that was encoded', () => {
  const written = kind.chain((message) => fc.tuple(fc.constant(message), valuesOf(schemaOf(message))));
  fc.assert(
    fc.property(written, ([message, given]) => {
      const schema = schemaOf(message);
      const value = asOnTheWire(decode(given, schema));
      const bytes = Uint8Array.from(encodeMessage(value, message));
      expect(decode(decodeMessage(bytes, message), schema)).toEqual(value);
    }),
    { numRuns: 400 },
  );
});

it('reads any bytes or refuses them', () => {
  fc.assert(
    fc.property(kind, fc.uint8Array({ maxLength: 64 }), (message, bytes) => {
      try {
        decode(decodeMessage(bytes, message), schemaOf(message));
      } catch (error) {
        expect(error).toBeInstanceOf(DecodeError);
      }
    }),
    { numRuns: 2_000 },
  );
});

const depthOf = (message: string, above: readonly string[]): number => {
  expect(above).not.toContain(message);
  const inner = (messageOf(message) ?? []).map(({ type }) => type).filter((type) => messageOf(type));
  return 1 + Math.max(0, ...inner.map((type) => depthOf(type, [...above, message])));
};

it('has no recursive message, so that no body is deeper than the schema', () => {
  for (const message of KINDS) expect(depthOf(message, [])).toBeLessThan(16);
});
