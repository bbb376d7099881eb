/** Writes what clients on this machine need to reach the host: its URL, its CA and a token. */

import { issueToken } from '../shared/apiserver/access/authentication.ts';
import { GROUP_MASTERS, USER_ADMIN } from '../shared/kube/types/well-known.ts';
import type { EpochMs } from '../shared/kube/values/time.ts';
import type { SigningKeys } from '../shared/ports/outside/signing-keys.ts';
import type { Clock } from '../shared/ports/process/clock.ts';
import { type HostPaths, writePrivately } from '../shared/serving/machine/files.ts';
import { kubeconfigOf } from '../shared/serving/machine/kubeconfig.ts';
import { isAnyAddress, ownAddresses } from '../shared/serving/machine/own-addresses.ts';
import type { HostConfiguration } from '../shared/settings/host/host-configuration.ts';
import { type HostRecord, ownProcess, readHostRecord, writeHostRecord } from './folder/host-record.ts';

/** How clients reach the host. */
export interface Access {
  readonly url: string;
  readonly adminToken: string;
  /** Removes the process id from the host's record; call it at a clean stop. */
  withdraw(): void;
}

export interface AccessDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly signingKeys: SigningKeys;
  /** Certificate of the CA, PEM. */
  readonly ca: string;
  readonly paths: HostPaths;
  readonly port: number;
}

/** Lifetime of the administrator's token, ms. */
const ADMIN_LIFE_MS = 365 * 24 * 60 * 60_000;

const urlOf = (host: string, port: number): string => {
  const shown = isAnyAddress(host) ? 'localhost' : host;
  return `https://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};

const recordOf = (
  { cluster, listen, hostNames, timeFactor }: HostConfiguration,
  port: number,
): HostRecord => ({
  url: urlOf(listen.host, port),
  ...(isAnyAddress(listen.host)
    ? { others: (hostNames.length > 0 ? hostNames : ownAddresses()).map((name) => urlOf(name, port)) }
    : {}),
  host: listen.host,
  port,
  clusterId: cluster.clusterId,
  timeFactor,
  nodeLifecycle: cluster.nodeLifecycle,
});

interface Credentials {
  readonly paths: HostPaths;
  readonly record: HostRecord;
  /** PEM. */
  readonly ca: string;
  readonly signingKeys: Pick<SigningKeys, 'current'>;
  readonly now: EpochMs;
}

/** Writes an administrator's token and kubeconfig into the folder. Returns the token. */
export const writeCredentials = async (given: Credentials): Promise<string> => {
  const { paths, record, ca, signingKeys, now } = given;
  const { url, clusterId } = record;
  const admin = { name: USER_ADMIN, groups: [GROUP_MASTERS], issuedAt: now, expiresAt: now + ADMIN_LIFE_MS };
  const token = await issueToken({ signingKeys, clusterId }, admin);
  writePrivately(paths.adminToken, `${token}\n`);
  writePrivately(paths.kubeconfig, kubeconfigOf({ server: url, ca, token, clusterId, user: USER_ADMIN }));
  return token;
};

/** Writes admin token, kubeconfig and the host's record into the folder. */
export const grantAccess = async (configuration: HostConfiguration, deps: AccessDeps): Promise<Access> => {
  const { clock, paths, port } = deps;
  const record = recordOf(configuration, port);
  const adminToken = await writeCredentials({ ...deps, record, now: clock.now() });
  writeHostRecord(paths.host, { ...record, ...ownProcess() });
  const withdraw = (): void => {
    const { machines } = readHostRecord(paths.host) ?? {};
    writeHostRecord(paths.host, { ...record, ...(machines ? { machines } : {}) });
  };
  return { url: record.url, adminToken, withdraw };
};
