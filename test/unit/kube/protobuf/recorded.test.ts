import { expect, it } from 'vitest';
import { decodeMessage } from '../../../../shared/kube/protobuf/decode.ts';
import { openEnvelope } from '../../../../shared/kube/protobuf/envelope.ts';
import { decode } from '../../../../shared/kube/schema/decode.ts';
import { kindSchema } from '../../../../shared/kube/schema/schema-of.ts';
import requests from './requests.json' with { type: 'json' };

it.each(requests)('reads what $sender sends to $request', ({ message, hex, decoded }) => {
  const { kind, apiVersion, raw } = openEnvelope(Buffer.from(hex, 'hex'));
  const schema = kindSchema(message);
  const value = { kind, apiVersion, ...decodeMessage(raw, message) };
  expect(decode(value, schema)).toEqual(decode(decoded, schema));
});

it('keeps an explicit zero of a pointer', () => {
  const zeroGrace = Buffer.from('0800', 'hex');
  expect(decodeMessage(zeroGrace, 'apis.meta.v1.DeleteOptions')).toEqual({ gracePeriodSeconds: 0 });
});
