import * as z from 'zod/mini';
import type { SigningKey } from '../../ports/signing-keys.ts';

/** Bytes that an HS256 key must have at least. Source: RFC 7518 §3.2. */
const MIN_KEY_BYTES = 32;

const KeySetJson = z.object({ current: z.string(), keys: z.record(z.string(), z.string()) });

/** The keys of a secret: one signs, all are valid. */
export interface KeySet {
  readonly current: SigningKey;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
}

const SHAPE = '{"current":"kid1","keys":{"kid1":"<base64url secret of at least 32 bytes>"}}';

const fault = (where: string, why: string): Error => new Error(`${where}: ${why}; expected ${SHAPE}`);

const parseText = (text: string, where: string): z.infer<typeof KeySetJson> => {
  try {
    return KeySetJson.parse(JSON.parse(text));
  } catch {
    // The parser's own words could repeat the secret.
    throw fault(where, 'the signing keys are no JSON of the right form');
  }
};

/** Reads a secret's text; `where` names its origin in errors. Throws when it is malformed. */
export const parseKeySet = (text: string, where: string): KeySet => {
  const { current, keys } = parseText(text, where);
  const secrets = new Map<string, Uint8Array>();
  for (const [kid, encoded] of Object.entries(keys)) secrets.set(kid, Buffer.from(encoded, 'base64url'));
  const short = [...secrets].find(([, secret]) => secret.byteLength < MIN_KEY_BYTES);
  if (short) throw fault(where, `the key "${short[0]}" has fewer than ${MIN_KEY_BYTES} bytes`);
  const secret = secrets.get(current);
  if (!secret) throw fault(where, `"current" names the key "${current}", which is not among "keys"`);
  return { current: { kid: current, secret }, secrets };
};
