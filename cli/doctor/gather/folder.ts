/** Reads the folder of a host. */
import { X509Certificate } from 'node:crypto';
import { access, constants, readdir, readFile, readlink, stat, statfs } from 'node:fs/promises';
import { connect, isIP } from 'node:net';
import { dirname } from 'node:path';
import { isRunning, readHostRecord } from '../../../host/folder/host-record.ts';
import { parseKeySet } from '../../../shared/adapters/secrets/key-set.ts';
import { optional } from '../../../shared/kube/values/optional.ts';
import { codeOf } from '../../../shared/serving/http/problem.ts';
import { type HostPaths, pathsOf } from '../../../shared/serving/machine/files.ts';
import type { CertificateFacts, FolderFacts, SecretFile } from '../facts/facts.ts';
import { bounded } from './bounded.ts';

const PERMISSIONS = 0o7777;

const WITHIN_MS = 2_000;
/** State of a listening socket in `/proc/net/tcp`. */
const LISTEN = '0A';

/** The mode of a file; `undefined`: there is none. */
export const secretFile = async (path: string): Promise<SecretFile | undefined> => {
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() ? { path, mode: found.mode & PERMISSIONS } : undefined;
};

const stateOf = async (folder: string): Promise<FolderFacts['state']> => {
  const found = await stat(folder).catch((error: unknown) => codeOf(error));
  if (typeof found === 'string') return found === 'ENOENT' ? 'missing' : 'unwritable';
  if (!found.isDirectory()) return 'no folder';
  const error = await access(folder, constants.W_OK | constants.X_OK).then(() => '', codeOf);
  if (error === '') return 'writable';
  return error === 'EROFS' ? 'read-only' : 'unwritable';
};

/** Free bytes and inodes where the folder is, or where it would be. */
export const freeIn = async (folder: string): Promise<Pick<FolderFacts, 'freeBytes' | 'freeInodes'>> => {
  const found = await statfs(folder).catch(() => undefined);
  if (found === undefined)
    return folder === dirname(folder) ? { freeBytes: 0, freeInodes: 0 } : freeIn(dirname(folder));
  // File systems that make inodes as they need them say that they have none.
  const freeInodes = found.files === 0 ? Number.POSITIVE_INFINITY : found.ffree;
  return { freeBytes: found.bavail * found.bsize, freeInodes };
};

const read = async (path: string): Promise<X509Certificate | 'damaged' | undefined> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  try {
    return new X509Certificate(text);
  } catch {
    return 'damaged';
  }
};

const timesOf = (name: string, certificate: X509Certificate): CertificateFacts => ({
  name,
  notBefore: Date.parse(certificate.validFrom),
  notAfter: Date.parse(certificate.validTo),
});

const isNamed = (certificate: X509Certificate, host: string): boolean =>
  (isIP(host) > 0 ? certificate.checkIP(host) : certificate.checkHost(host)) !== undefined;

const certificatesIn = async (
  paths: HostPaths,
  host: string | undefined,
): Promise<Pick<FolderFacts, 'certificates' | 'damaged'>> => {
  const [ca, own] = await Promise.all([read(paths.caCertificate), read(paths.serverCertificate)]);
  const certificates: CertificateFacts[] = [];
  if (ca instanceof X509Certificate) certificates.push(timesOf('ca.crt', ca));
  if (own instanceof X509Certificate)
    certificates.push({
      ...timesOf('server.crt', own),
      ...(host !== undefined && ca instanceof X509Certificate
        ? { host: { name: host, isNamed: isNamed(own, host), isSigned: own.verify(ca.publicKey) } }
        : {}),
    });
  const damaged = [ca === 'damaged' ? ['ca.crt'] : [], own === 'damaged' ? ['server.crt'] : []].flat();
  return { certificates, damaged };
};

const isDamaged = async (path: string, parse: (text: string) => unknown): Promise<boolean> => {
  const text = await readFile(path, 'utf8').catch(() => undefined);
  try {
    return text !== undefined && parse(text) === undefined;
  } catch {
    return true;
  }
};

const damagedIn = async ({ host, signingKey }: HostPaths): Promise<readonly string[]> => {
  const isRecord = await isDamaged(host, JSON.parse);
  const isKey = await isDamaged(signingKey, (text) => parseKeySet(text, signingKey));
  return [...(isRecord ? ['host.json'] : []), ...(isKey ? ['signing-key.json'] : [])];
};

/** The host's address, without the brackets of IPv6. */
const hostIn = (url: string): string | undefined => URL.parse(url)?.hostname.replace(/^\[(.*)\]$/, '$1');

const isTaken = (host: string, port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ host, port });
    const end = (taken: boolean) => (): void => {
      socket.destroy();
      resolve(taken);
    };
    socket.on('connect', end(true)).on('error', end(false)).setTimeout(WITHIN_MS, end(false));
  });

const inodesOf = async (port: number): Promise<ReadonlySet<string>> => {
  const hex = port.toString(16).toUpperCase().padStart(4, '0');
  const tables = await Promise.all(
    ['/proc/net/tcp', '/proc/net/tcp6'].map((path) => readFile(path, 'utf8').catch(() => '')),
  );
  const rows = tables.flatMap((text) => text.split('\n')).map((line) => line.trim().split(/\s+/));
  const ours = rows.filter(([, local = '', , state]) => state === LISTEN && local.endsWith(`:${hex}`));
  return new Set(ours.map((row) => `socket:[${row[9]}]`));
};

const hasSocket = async (pid: string, inodes: ReadonlySet<string>): Promise<boolean> => {
  const files = await readdir(`/proc/${pid}/fd`).catch(() => []);
  for (const file of files)
    if (inodes.has(await readlink(`/proc/${pid}/fd/${file}`).catch(() => ''))) return true;
  return false;
};

const ownerOf = async (port: number): Promise<string> => {
  const inodes = await inodesOf(port);
  if (inodes.size === 0) return '';
  const processes = (await readdir('/proc').catch(() => [])).filter((name) => /^\d+$/.test(name));
  for (const pid of processes)
    if (await hasSocket(pid, inodes)) {
      const name = await readFile(`/proc/${pid}/comm`, 'utf8').catch(() => '');
      return `${name.trim()} (process ${pid})`;
    }
  return '';
};

/** `nginx (process 12)`; empty: somebody whom this user cannot see; `undefined`: nobody. */
const listenerOf = async (host: string, port: number): Promise<string | undefined> => {
  if (!(await isTaken(host, port))) return undefined;
  return (await bounded(ownerOf(port), WITHIN_MS)) ?? '';
};

/** The facts of a folder. */
export const folderFacts = async (folder: string): Promise<FolderFacts> => {
  const paths = pathsOf(folder);
  const record = readHostRecord(paths.host);
  const host = record && hostIn(record.url);
  const secrets = [paths.signingKey, paths.caKey, paths.serverKey, paths.kubeconfig, paths.adminToken];
  const modes = await Promise.all(secrets.map(secretFile));
  const { certificates, damaged } = await certificatesIn(paths, host);
  const listener = record && (await listenerOf(host ?? record.host, record.port));
  return {
    path: paths.folder,
    state: await stateOf(paths.folder),
    ...(await freeIn(paths.folder)),
    secrets: modes.filter((one) => one !== undefined),
    certificates,
    damaged: [...damaged, ...(await damagedIn(paths))],
    ...(record === undefined
      ? {}
      : {
          host: {
            isRunning: isRunning(record),
            port: record.port,
            ...optional('listener', listener),
          },
        }),
  };
};
