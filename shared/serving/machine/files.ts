/** The host's folder: keys, certificates, kubeconfig. Secret files are readable by their owner only. */
import { X509Certificate } from 'node:crypto';
import { chmodSync, existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { hostname } from 'node:os';
import { resolve } from 'node:path';
import { newSigningKey } from '../../adapters/secrets/key-rotation.ts';
import { type KeySet, parseKeySet } from '../../adapters/secrets/key-set.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { CertifiedKey } from '../http/certificates.ts';
import { HostProblem } from '../http/problem.ts';
import { isAnyAddress, ownAddresses } from './own-addresses.ts';

/** The paths of the folder's files. */
export const pathsOf = (folder: string) => {
  const path = (name: string): string => resolve(folder, name);
  return {
    folder: resolve(folder),
    state: path('state'),
    signingKey: path('signing-key.json'),
    caCertificate: path('ca.crt'),
    caKey: path('ca.key'),
    serverCertificate: path('server.crt'),
    serverKey: path('server.key'),
    kubeconfig: path('kubeconfig'),
    adminToken: path('admin.token'),
    /** Address and process of the host that runs, or ran last. */
    host: path('host.json'),
    /** Machines of the demonstration fleet that are silent. */
    outage: path('outage.json'),
    requests: path('requests'),
  };
};

export type HostPaths = ReturnType<typeof pathsOf>;

/** A server certificate is renewed when it expires in less than this (ms). */
const RENEW_MS = 30 * 24 * 60 * 60_000;

/** Writes a file atomically, by default readable by its owner only. */
export const writePrivately = (path: string, text: string, mode = 0o600): void => {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode });
  chmodSync(draft, mode);
  renameSync(draft, path);
};

/** The text of a file; `undefined` if there is no file. */
export const readIfThere = (path: string): string | undefined =>
  existsSync(path) ? readFileSync(path, 'utf8') : undefined;

const newKeySet = (): string => {
  const { kid, secret } = newSigningKey();
  return `${JSON.stringify({ current: kid, keys: { [kid]: secret } }, null, 2)}\n`;
};

const parsedKeys = (text: string, path: string): KeySet => {
  try {
    return parseKeySet(text, path);
  } catch (cause) {
    throw new HostProblem(
      `${cause instanceof Error ? cause.message : String(cause)}. Restore it from a copy; without one, delete it: the next start makes another key, and all tokens are void`,
      { cause },
    );
  }
};

/** The signing keys. They are created at the first start. Throws a `HostProblem` if the file is damaged. */
export const ensureSigningKeys = ({ signingKey }: HostPaths): KeySet => {
  const stored = readIfThere(signingKey);
  if (stored !== undefined) return parsedKeys(stored, signingKey);
  const made = newKeySet();
  writePrivately(signingKey, made);
  return parseKeySet(made, signingKey);
};

const ensureAuthority = async ({ caCertificate, caKey }: HostPaths, now: EpochMs): Promise<CertifiedKey> => {
  const [certificate, key] = [readIfThere(caCertificate), readIfThere(caKey)];
  if (certificate !== undefined && key !== undefined) return { certificate, key };
  // Load the library only if a certificate has to be created.
  const { createAuthority } = await import('../http/certificates.ts');
  const made = await createAuthority(now);
  writePrivately(caKey, made.key);
  writePrivately(caCertificate, made.certificate, 0o644);
  return made;
};

const names = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) > 0 ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;

const isGood = (
  { certificate }: CertifiedKey,
  ca: CertifiedKey,
  hosts: readonly string[],
  now: EpochMs,
): boolean => {
  const parsed = new X509Certificate(certificate);
  return (
    parsed.verify(new X509Certificate(ca.certificate).publicKey) &&
    Date.parse(parsed.validTo) - now > RENEW_MS &&
    hosts.every((host) => names(parsed, host))
  );
};

/** Every name and address of this machine. */
const hostsOf = (listenHost: string, further: readonly string[]): readonly string[] => {
  const own = isAnyAddress(listenHost) ? [hostname(), ...ownAddresses()] : [listenHost];
  return [...new Set(['localhost', '127.0.0.1', '::1', ...own, ...further])];
};

export interface Certificates {
  readonly ca: string;
  readonly server: CertifiedKey;
}

/** CA and server certificate. They are created if missing, about to expire, or without one of the names. */
export const ensureCertificates = async (
  paths: HostPaths,
  listenHost: string,
  furtherNames: readonly string[],
  now: EpochMs,
): Promise<Certificates> => {
  const ca = await ensureAuthority(paths, now);
  const hosts = hostsOf(listenHost, furtherNames);
  const [certificate, key] = [readIfThere(paths.serverCertificate), readIfThere(paths.serverKey)];
  const stored = certificate !== undefined && key !== undefined ? { certificate, key } : undefined;
  if (stored && isGood(stored, ca, hosts, now)) return { ca: ca.certificate, server: stored };
  const { issueServerCertificate } = await import('../http/certificates.ts');
  const made = await issueServerCertificate(ca, hosts, now);
  writePrivately(paths.serverKey, made.key);
  writePrivately(paths.serverCertificate, made.certificate, 0o644);
  return { ca: ca.certificate, server: made };
};
