import { expect, it } from 'vitest';
import { decodeMessage } from '../../../../shared/kube/protobuf/decode.ts';
import { openEnvelope } from '../../../../shared/kube/protobuf/envelope.ts';
import { DecodeError } from '../../../../shared/kube/schema/decode.ts';
import requests from './requests.json' with { type: 'json' };

const bytes = (hex: string): Uint8Array => Buffer.from(hex.replaceAll(' ', ''), 'hex');

it.each([
  ['', 'empty data'],
  ['7b7d', 'provided data does not appear to be a protobuf message, expected prefix [107 56 115 0]'],
  ['6b387300', 'empty body'],
  ['6b387300 0a', 'unexpected EOF'],
  ['6b387300 0a05 0a', 'unexpected EOF'],
  ['6b387300 08 01', 'proto: wrong wireType = 0 for field TypeMeta'],
  ['6b387300 0c', 'proto: Unknown: wiretype end group for non-group'],
  ['6b387300 0001', 'proto: Unknown: illegal tag 0 (wire type 0)'],
])('refuses the envelope %j: %s', (hex, message) => {
  expect(() => openEnvelope(bytes(hex))).toThrow(new DecodeError(message));
});

it.each([
  ['core.v1.Node', '0a', 'unexpected EOF'],
  ['core.v1.Node', '08 01', 'proto: wrong wireType = 0 for field Metadata'],
  ['core.v1.Node', '0a ff ff ff ff ff ff ff ff ff 01', 'proto: negative length found during unmarshaling'],
  ['core.v1.Node', '0a ff ff ff ff ff ff ff ff ff ff 01', 'proto: integer overflow'],
  ['core.v1.Node', '0a ff ff ff ff 07', 'unexpected EOF'],
  ['core.v1.Node', 'fe07', 'proto: illegal wireType 6'],
  ['core.v1.Node', 'f9 07 00', 'unexpected EOF'],
  ['core.v1.Node', 'fb 07 fb 07', 'unexpected EOF'],
  [
    'core.v1.Node',
    '0a 0b 42 09 08 ff ff ff ff ff ff ff 7f',
    'Time.MarshalJSON: year outside of range [0,9999]',
  ],
  ['apis.meta.v1.ManagedFieldsEntry', '3a 03 0a 01 7b', 'json: error calling MarshalJSON'],
])('refuses a %s from %j: %s', (message, hex, fault) => {
  expect(() => decodeMessage(bytes(hex), message)).toThrow(fault);
});

it.each([
  ['an unknown field', '080102', 'core.v1.Namespace', undefined],
  ['nested groups', 'fb07 fb07 fc07 fc07', 'core.v1.Node', {}],
  ['fixed numbers', 'f907 0000000000000000 fd07 00000000', 'core.v1.Node', {}],
  [
    'a repeated message as one merged message',
    '0a03 0a0161 0a03 120162',
    'core.v1.Node',
    { metadata: { name: 'a', generateName: 'b' } },
  ],
  ['an empty time as null', '0a02 4200', 'core.v1.Node', { metadata: { creationTimestamp: null } }],
  [
    'a packed list of numbers',
    '2203 01 80 01',
    'core.v1.PodSecurityContext',
    { supplementalGroups: [1, 128] },
  ],
  [
    'an unpacked list of numbers',
    '2001 208001',
    'core.v1.PodSecurityContext',
    { supplementalGroups: [1, 128] },
  ],
  [
    'a negative number',
    '08 ff ff ff ff ff ff ff ff ff 01',
    'apis.meta.v1.DeleteOptions',
    { gracePeriodSeconds: -1 },
  ],
  ['an entry without a value', '0a05 5a03 0a0161', 'core.v1.Node', { metadata: { labels: { a: '' } } }],
  ['text that is not ASCII', '0a04 0a02 c3a4', 'core.v1.Node', { metadata: { name: 'ä' } }],
  ['text that is not UTF-8', '0a03 0a01 ff', 'core.v1.Node', { metadata: { name: '\u{FFFD}' } }],
  ['a port by name', '12060801 1a026162', 'core.v1.HTTPGetAction', { port: 'ab' }],
  ['a port by number', '12040800 1050', 'core.v1.HTTPGetAction', { port: 80 }],
])('reads %s', (_what, hex, message, value) => {
  if (value === undefined) expect(() => decodeMessage(bytes(hex), message)).toThrow(DecodeError);
  else expect(decodeMessage(bytes(hex), message)).toEqual(value);
});

it('reads a label named __proto__ as a member like any other', () => {
  const name = Buffer.from('__proto__').toString('hex');
  const value = decodeMessage(bytes(`0a10 5a0e 0a09${name} 120178`), 'core.v1.Node') as {
    metadata: { labels: object };
  };
  expect(Object.entries(value.metadata.labels)).toEqual([['__proto__', 'x']]);
});

const outcome = (read: () => unknown): string => {
  try {
    read();
    return 'read';
  } catch (error) {
    return error instanceof DecodeError ? 'refused' : String(error);
  }
};

it.each(requests)(
  'decodes or refuses each prefix of the body for $request, without another error',
  ({ hex, message }) => {
    const whole = bytes(hex);
    const outcomes = Array.from({ length: whole.length }, (_, length) =>
      outcome(() => decodeMessage(openEnvelope(whole.subarray(0, length)).raw, message)),
    );
    expect(new Set(outcomes)).toEqual(new Set(['refused', 'read']));
  },
);
