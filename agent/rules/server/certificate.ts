/** The certificate of the agent's server, signed by its own key. Source: RFC 5280. Clients know it by its fingerprint, so no authority signs it. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';

/** The Distinguished Encoding Rules, as far as a certificate needs them. Source: ITU-T X.690. */

const lengthOf = (length: number): readonly number[] => {
  if (length < 0x80) return [length];
  const digits: number[] = [];
  for (let left = length; left > 0; left = Math.floor(left / 0x1_00)) digits.unshift(left % 0x1_00);
  return [0x80 + digits.length, ...digits];
};

const tagged = (tag: number, ...parts: readonly Uint8Array[]): Uint8Array => {
  const content = Buffer.concat(parts);
  return Buffer.concat([Buffer.from([tag, ...lengthOf(content.length)]), content]);
};

const sequence = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x30, ...parts);
const set = (...parts: readonly Uint8Array[]): Uint8Array => tagged(0x31, ...parts);
/** `[number]`, around something else. */
const explicit = (number: number, ...parts: readonly Uint8Array[]): Uint8Array =>
  tagged(0xa0 + number, ...parts);
/** `[number]`, in the place of a tag of its own. */
const implicit = (number: number, content: Uint8Array): Uint8Array => tagged(0x80 + number, content);
const octets = (content: Uint8Array): Uint8Array => tagged(0x04, content);
const utf8 = (text: string): Uint8Array => tagged(0x0c, Buffer.from(text));
const truth: Uint8Array = tagged(0x01, Buffer.from([0xff]));
/** Whole bytes. */
const bits = (content: Uint8Array, unused = 0): Uint8Array => tagged(0x03, Buffer.from([unused]), content);
/** Of the first byte, which is below 128. */
const integer = (content: Uint8Array): Uint8Array => tagged(0x02, content);

const base128 = (value: number): readonly number[] => {
  const digits = [value % 0x80];
  for (let left = Math.floor(value / 0x80); left > 0; left = Math.floor(left / 0x80))
    digits.unshift(0x80 + (left % 0x80));
  return digits;
};

/** An object identifier such as `2.5.4.3`. */
const identifier = (text: string): Uint8Array => {
  const [first = 0, second = 0, ...rest] = text.split('.').map(Number);
  return tagged(0x06, Buffer.from([first * 40 + second, ...rest.flatMap(base128)]));
};

/** An instant with four digits of the year, in whole seconds: `20260102030405Z`. */
const generalizedTime = (iso: string): Uint8Array =>
  tagged(0x18, Buffer.from(`${iso.replaceAll(/[-:T]/g, '').slice(0, 14)}Z`));

const ECDSA_WITH_SHA256 = sequence(identifier('1.2.840.10045.4.3.2'));
const COMMON_NAME = '2.5.4.3';
const [KEY_USAGE, ALT_NAMES, CONSTRAINTS, EXTENDED] = ['2.5.29.15', '2.5.29.17', '2.5.29.19', '2.5.29.37'];
const SERVER_AUTH = '1.3.6.1.5.5.7.3.1';
const VERSION_3 = explicit(0, integer(Uint8Array.of(2)));
/** Bit 0, digitalSignature. */
const DIGITAL_SIGNATURE = bits(Uint8Array.of(0x80), 7);
const DNS_NAME = 2;

export interface CertificateFacts {
  readonly nodeName: string;
  /** 8 bytes of chance. */
  readonly serial: Uint8Array;
  readonly notBefore: EpochMs;
  readonly notAfter: EpochMs;
  /** The public key as `SubjectPublicKeyInfo`, DER. */
  readonly publicKey: Uint8Array;
}

const time = (at: EpochMs): Uint8Array => generalizedTime(new Date(at).toISOString());

const extension = (id: string, value: Uint8Array, isCritical = false): Uint8Array =>
  sequence(identifier(id), ...(isCritical ? [truth] : []), octets(value));

const nameOf = (text: string): Uint8Array => sequence(set(sequence(identifier(COMMON_NAME), utf8(text))));

/** The part that is signed, by ECDSA with SHA-256. DER. */
export const certificateToSign = (facts: CertificateFacts): Uint8Array => {
  const { nodeName, serial, notBefore, notAfter, publicKey } = facts;
  const name = nameOf(`system:node:${nodeName}`);
  return sequence(
    VERSION_3,
    // A positive number.
    integer(Uint8Array.of(1, ...serial)),
    ECDSA_WITH_SHA256,
    name,
    sequence(time(notBefore), time(notAfter)),
    name,
    publicKey,
    explicit(
      3,
      sequence(
        extension(KEY_USAGE, DIGITAL_SIGNATURE, true),
        extension(CONSTRAINTS, sequence(), true),
        extension(EXTENDED, sequence(identifier(SERVER_AUTH))),
        extension(ALT_NAMES, sequence(implicit(DNS_NAME, Buffer.from(nodeName)))),
      ),
    ),
  );
};

/** The whole certificate. DER. */
export const signedCertificate = (toSign: Uint8Array, signature: Uint8Array): Uint8Array =>
  sequence(toSign, ECDSA_WITH_SHA256, bits(signature));
