import { expect, it } from 'vitest';
import { refusalOf } from '../../../relay/refusal.ts';

it.each([
  [403, '{"kind":"Status","message":"no relay of this name"}', '403: no relay of this name'],
  [403, '{"Message":null}', '403: this is no answer of a control plane; is the address right?'],
  [404, '<html>', '404: this is no answer of a control plane; is the address right?'],
  [502, '{"Message":"Internal Server Error"}', '502'],
])('a relay says of %i with %s: %s', (status, body, text) =>
  expect(refusalOf({ status, headers: {}, body: Buffer.from(body) })).toBe(text),
);
