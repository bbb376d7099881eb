/**
 * Creates the host's own certificate authority and server certificate. This file is loaded only when one has to be created.
 */
import 'reflect-metadata';
import { webcrypto } from 'node:crypto';
import { isIP } from 'node:net';
import {
  AuthorityKeyIdentifierExtension,
  BasicConstraintsExtension,
  ExtendedKeyUsage,
  ExtendedKeyUsageExtension,
  type JsonGeneralName,
  KeyUsageFlags,
  KeyUsagesExtension,
  PemConverter,
  SubjectAlternativeNameExtension,
  SubjectKeyIdentifierExtension,
  X509Certificate,
  X509CertificateGenerator,
} from '@peculiar/x509';
import type { EpochMs } from '../../kube/values/time.ts';

/** A certificate and its private key, both PEM. */
export interface CertifiedKey {
  readonly certificate: string;
  readonly key: string;
}

const DAY_MS = 24 * 60 * 60_000;
const CA_LIFE_MS = 10 * 365 * DAY_MS;
/** Clients such as Go's and Apple's refuse server certificates of more than 825 days. */
const SERVER_LIFE_MS = 397 * DAY_MS;
/** Certificates are valid from this long before their creation (ms), because the clocks of clients may be behind. */
const BACKDATE_MS = DAY_MS;

const ALGORITHM = { name: 'ECDSA', namedCurve: 'P-256' } as const;
const SIGNING = { name: 'ECDSA', hash: 'SHA-256' } as const;

const newKeys = (): Promise<webcrypto.CryptoKeyPair> =>
  webcrypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);

const toPem = async (key: webcrypto.CryptoKey): Promise<string> =>
  `${PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;

const privateKeyOf = (pem: string): Promise<webcrypto.CryptoKey> => {
  const der = PemConverter.decodeFirst(pem);
  return webcrypto.subtle.importKey('pkcs8', der, ALGORITHM, false, ['sign']);
};

const certifiedKey = async (
  certificate: X509Certificate,
  keys: webcrypto.CryptoKeyPair,
): Promise<CertifiedKey> => ({
  certificate: `${certificate.toString('pem')}\n`,
  key: await toPem(keys.privateKey),
});

/** A positive number of 8 random bytes, in hexadecimal. */
const serialNumber = (): string => {
  const bytes = Buffer.from(webcrypto.getRandomValues(new Uint8Array(8)));
  return `01${bytes.toString('hex')}`;
};

/** Creates a certificate authority that is valid for ten years from `now` (ms). */
export const createAuthority = async (now: EpochMs): Promise<CertifiedKey> => {
  const keys = await newKeys();
  const certificate = await X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: 'CN=rollcall-ca',
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(now + CA_LIFE_MS),
    signingAlgorithm: SIGNING,
    keys,
    extensions: [
      new BasicConstraintsExtension(true, 0, true),
      new KeyUsagesExtension(KeyUsageFlags.keyCertSign | KeyUsageFlags.cRLSign, true),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return certifiedKey(certificate, keys);
};

const altName = (host: string): JsonGeneralName => ({ type: isIP(host) > 0 ? 'ip' : 'dns', value: host });

/** Creates a server certificate for names and addresses, valid for 397 days from `now` (ms) and signed by `authority`. */
export const issueServerCertificate = async (
  authority: CertifiedKey,
  hosts: readonly string[],
  now: EpochMs,
): Promise<CertifiedKey> => {
  const keys = await newKeys();
  const issuer = new X509Certificate(authority.certificate);
  const certificate = await X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: 'CN=rollcall',
    issuer: issuer.subject,
    notBefore: new Date(now - BACKDATE_MS),
    notAfter: new Date(Math.min(now + SERVER_LIFE_MS, issuer.notAfter.getTime())),
    signingAlgorithm: SIGNING,
    publicKey: keys.publicKey,
    signingKey: await privateKeyOf(authority.key),
    extensions: [
      new BasicConstraintsExtension(false, undefined, true),
      new KeyUsagesExtension(KeyUsageFlags.digitalSignature, true),
      new ExtendedKeyUsageExtension([ExtendedKeyUsage.serverAuth]),
      new SubjectAlternativeNameExtension(hosts.map(altName)),
      await SubjectKeyIdentifierExtension.create(keys.publicKey),
      await AuthorityKeyIdentifierExtension.create(issuer),
    ],
  });
  return certifiedKey(certificate, keys);
};
