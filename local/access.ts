/** What clients of this machine need to speak to the host: its address, its CA, a token. */
import { GROUP_MASTERS, USER_ADMIN } from '../shared/api/well-known.ts';
import { issueToken } from '../shared/apiserver/authentication.ts';
import type { HostConfiguration } from '../shared/config/host-configuration.ts';
import type { Clock } from '../shared/ports/clock.ts';
import type { SigningKeys } from '../shared/ports/signing-keys.ts';
import { type HostPaths, writePrivately } from './files.ts';
import { type HostRecord, readHostRecord, writeHostRecord } from './host-record.ts';
import { kubeconfigOf } from './kubeconfig.ts';

export interface Access {
  readonly url: string;
  readonly adminToken: string;
  /** To be called at a clean stop: nobody answers there any more. */
  withdraw(): void;
}

export interface AccessDeps {
  readonly clock: Pick<Clock, 'now'>;
  readonly signingKeys: SigningKeys;
  /** PEM. */
  readonly ca: string;
  readonly paths: HostPaths;
  readonly port: number;
}

const ADMIN_LIFE_MS = 365 * 24 * 60 * 60_000;

const urlOf = (host: string, port: number): string => {
  const shown = ['0.0.0.0', '::'].includes(host) ? 'localhost' : host;
  return `https://${shown.includes(':') ? `[${shown}]` : shown}:${port}`;
};

const recordOf = ({ cluster, listen, timeFactor }: HostConfiguration, port: number): HostRecord => ({
  url: urlOf(listen.host, port),
  host: listen.host,
  port,
  clusterId: cluster.clusterId,
  timeFactor,
  nodeLifecycle: cluster.nodeLifecycle,
});

/** Writes admin token, kubeconfig and the host's record into the folder. */
export const grantAccess = async (configuration: HostConfiguration, deps: AccessDeps): Promise<Access> => {
  const { clock, signingKeys, ca, paths, port } = deps;
  const record = recordOf(configuration, port);
  const { url, clusterId } = record;
  const now = clock.now();
  const admin = { name: USER_ADMIN, groups: [GROUP_MASTERS], issuedAt: now, expiresAt: now + ADMIN_LIFE_MS };
  const adminToken = await issueToken({ signingKeys, clusterId }, admin);
  writePrivately(paths.adminToken, `${adminToken}\n`);
  const parts = { server: url, ca, token: adminToken, clusterId, user: USER_ADMIN };
  writePrivately(paths.kubeconfig, kubeconfigOf(parts));
  writeHostRecord(paths.host, { ...record, pid: process.pid });
  const withdraw = (): void => {
    const { machines } = readHostRecord(paths.host) ?? {};
    writeHostRecord(paths.host, { ...record, ...(machines ? { machines } : {}) });
  };
  return { url, adminToken, withdraw };
};
