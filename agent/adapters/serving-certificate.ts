/** The certificate of the agent's server, in its root folder. */
import { createHash, generateKeyPairSync, randomBytes, sign, X509Certificate } from 'node:crypto';
import { join } from 'node:path';
import type { EpochMs } from '../../shared/kube/values/time.ts';
import { certificateToSign, signedCertificate } from '../rules/server/certificate.ts';
import { replaceFile, textIfThere } from './replace-file.ts';

/** Key and certificate, PEM, and the SHA-256 of the certificate in lower hexadecimal. */
export interface ServingCertificate {
  readonly pem: string;
  readonly fingerprint: string;
}

const DAY_MS = 24 * 60 * 60_000;
const LIFE_MS = 3650 * DAY_MS;
/** An agent that starts within this time of the end makes a new one. */
const RENEWAL_MS = 365 * DAY_MS;

const pemOf = (der: Uint8Array): string =>
  [
    '-----BEGIN CERTIFICATE-----',
    ...(Buffer.from(der)
      .toString('base64')
      .match(/.{1,64}/g) ?? []),
    '-----END CERTIFICATE-----',
    '',
  ].join('\n');

/** The clock of the machine may be wrong, so the certificate counts from a day before. */
const makePem = (nodeName: string, now: EpochMs): string => {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const toSign = certificateToSign({
    nodeName,
    serial: randomBytes(8),
    notBefore: now - DAY_MS,
    notAfter: now + LIFE_MS,
    publicKey: publicKey.export({ type: 'spki', format: 'der' }),
  });
  const certificate = signedCertificate(toSign, sign('sha256', toSign, privateKey));
  return privateKey.export({ type: 'pkcs8', format: 'pem' }).toString() + pemOf(certificate);
};

const read = (pem: string): { readonly certificate: ServingCertificate; readonly until: EpochMs } => {
  const known = new X509Certificate(pem);
  const fingerprint = createHash('sha256').update(known.raw).digest('hex');
  return { certificate: { pem, fingerprint }, until: Date.parse(known.validTo) };
};

/** The one that is stored, unless it is for another name, ends within a year, or is damaged; then a new one. */
export const servingCertificate = async (
  rootDirectory: string,
  nodeName: string,
  now: EpochMs,
): Promise<ServingCertificate> => {
  const path = join(rootDirectory, 'serving.pem');
  const stored = await textIfThere(path);
  if (stored !== undefined) {
    try {
      const { certificate, until } = read(stored);
      const isOurs = new X509Certificate(stored).subject === `CN=system:node:${nodeName}`;
      if (isOurs && until - now > RENEWAL_MS) return certificate;
    } catch {
      // What is no certificate is replaced by one.
    }
  }
  const pem = makePem(nodeName, now);
  await replaceFile(path, pem, 0o600);
  return read(pem).certificate;
};
