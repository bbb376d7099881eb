/** The certificate of the agent's server, signed by its own key. Source: RFC 5280. Clients know it by its fingerprint, so no authority signs it. */
import type { EpochMs } from '../../../shared/kube/values/time.ts';
import {
  bits,
  explicit,
  generalizedTime,
  identifier,
  implicit,
  integer,
  octets,
  sequence,
  set,
  truth,
  utf8,
} from './der.ts';

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
