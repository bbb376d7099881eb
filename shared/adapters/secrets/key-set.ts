import type { SigningKey } from '../../ports/outside/signing-keys.ts';

/** The least number of bytes of an HS256 key. Source: RFC 7518 §3.2. */
const MIN_KEY_BYTES = 32;

/** The stored form: keys in the order in which they were created. */
export interface KeySetJson {
  readonly current: string;
  readonly keys: Readonly<Record<string, string>>;
  /** When a step of a rotation last changed the set, RFC 3339. */
  readonly changedAt?: string;
}

/** The keys of a secret: one signs, all are valid. */
export interface KeySet {
  readonly current: SigningKey;
  readonly secrets: ReadonlyMap<string, Uint8Array>;
}

const SHAPE =
  '{"current":"kid1","keys":{"kid1":"<base64url secret of at least 32 bytes>"}} or, as generated, {"kid":"kid1","secret":"…"}';

const fault = (where: string, why: string): Error => new Error(`${where}: ${why}; expected ${SHAPE}`);

const parseText = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // The parser's message is dropped, because it could contain the secret.
  }
};

const isTexts = (value: unknown): value is Readonly<Record<string, string>> =>
  typeof value === 'object' && value !== null && Object.values(value).every((one) => typeof one === 'string');

/** Reads either form of the secret. Secrets Manager itself generates a single key. */
const keySetJson = (value: unknown): KeySetJson | undefined => {
  const { current, keys, kid, secret, changedAt } = (value ?? {}) as Readonly<Record<string, unknown>>;
  if (typeof current === 'string' && isTexts(keys))
    return { current, keys, ...(typeof changedAt === 'string' ? { changedAt } : {}) };
  return typeof kid === 'string' && typeof secret === 'string'
    ? { current: kid, keys: { [kid]: secret } }
    : undefined;
};

/** Parses a secret's text without validating the keys. Throws when it is malformed. */
export const parseKeySetJson = (text: string, where: string): KeySetJson => {
  const json = keySetJson(parseText(text));
  if (!json) throw fault(where, 'the signing keys are not JSON of the right form');
  return json;
};

/** Parses a secret's text; `where` names its origin in errors. Throws when it is malformed. */
export const parseKeySet = (text: string, where: string): KeySet => {
  const json = parseKeySetJson(text, where);
  const secrets = new Map<string, Uint8Array>();
  for (const [kid, encoded] of Object.entries(json.keys)) secrets.set(kid, Buffer.from(encoded, 'base64url'));
  const short = [...secrets].find(([, secret]) => secret.byteLength < MIN_KEY_BYTES);
  if (short) throw fault(where, `the key "${short[0]}" has fewer than ${MIN_KEY_BYTES} bytes`);
  const secret = secrets.get(json.current);
  if (!secret) throw fault(where, `"current" names the key "${json.current}", which is not among "keys"`);
  return { current: { kid: json.current, secret }, secrets };
};
