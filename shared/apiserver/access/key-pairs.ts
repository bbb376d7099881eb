/** Ed25519 key pairs of the cluster: each is derived from a secret and a purpose, so that one secret is all that has to be kept. */
import { createPrivateKey, createPublicKey, hkdfSync, type KeyObject } from 'node:crypto';
import type { PublicKeySet } from '../../ports/outside/public-keys.ts';
import type { PublicKey } from '../../ports/outside/signing-keys.ts';

/** DER of a PKCS#8 Ed25519 key, before its 32 bytes. Source: RFC 8410 §7. */
const PKCS8_HEAD = Buffer.from('302e020100300506032b657004220420', 'hex');
const TOKENS = 'rollcall tokens';

/** The secrets of all valid keys, by their ids, and which one signs. */
interface KnownSecrets {
  readonly current: { readonly kid: string };
  readonly secrets: ReadonlyMap<string, Uint8Array>;
}

/** The private key for a purpose. Keys of other purposes tell nothing about it. */
export const privateKeyOf = (secret: Uint8Array, purpose: string): KeyObject => {
  const seed = Buffer.from(hkdfSync('sha256', secret, '', purpose, 32));
  return createPrivateKey({ key: Buffer.concat([PKCS8_HEAD, seed]), format: 'der', type: 'pkcs8' });
};

/** Derives each key once: to do so costs as much as to verify a token. */
const derivedOnce = <From extends object>(derive: (from: From) => KeyObject) => {
  const derived = new WeakMap<From, KeyObject>();
  return (from: From): KeyObject => {
    const key = derived.get(from) ?? derive(from);
    derived.set(from, key);
    return key;
  };
};

/** What signs tokens. */
export const tokenSigner = derivedOnce((secret: Uint8Array) => privateKeyOf(secret, TOKENS));

const importedKey = ({ x }: PublicKey): KeyObject =>
  createPublicKey({ key: { kty: 'OKP', crv: 'Ed25519', x }, format: 'jwk' });

/** What verifies tokens. Throws for a public key that is none. */
export const tokenVerifier = derivedOnce((key: Uint8Array | PublicKey) =>
  key instanceof Uint8Array ? createPublicKey(tokenSigner(key)) : importedKey(key),
);

const publicHalf = (secret: Uint8Array): string => tokenVerifier(secret).export({ format: 'jwk' }).x ?? '';

/** The public halves of the signing keys, as they are published. */
export const publicKeySetOf = ({ current, secrets }: KnownSecrets): PublicKeySet => ({
  current: current.kid,
  keys: Object.fromEntries([...secrets].map(([kid, secret]) => [kid, publicHalf(secret)])),
});
