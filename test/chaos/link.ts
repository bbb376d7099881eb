import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '../../shared/client/api-client.ts';

/** The connection to the host that runs now. Calls reject while none runs. */
export interface Link {
  readonly client: ApiClient;
  /** Number of hosts that were attached so far. */
  generation(): number;
  isUp(): boolean;
  /** Call it when a host on `folder` is ready. */
  attach(folder: string): void;
  /** Call it before the host is killed. */
  detach(): void;
}

/** The administrator's token. It stays valid over restarts, because the signing key does. */
export const adminTokenOf = (folder: string): string =>
  readFileSync(join(folder, 'admin.token'), 'utf8').trim();

const clientOf = (folder: string): ApiClient => {
  const { url } = JSON.parse(readFileSync(join(folder, 'host.json'), 'utf8')) as { readonly url: string };
  return createApiClient(url, readFileSync(join(folder, 'ca.crt'), 'utf8'));
};

export const createLink = (): Link => {
  let current: ApiClient | undefined;
  let count = 0;
  const detach = (): void => {
    current?.close();
    current = undefined;
  };
  const call: ApiClient['call'] = (...request) =>
    current ? current.call(...request) : Promise.reject(new Error('no host is there'));
  return {
    client: { call, close: detach },
    generation: () => count,
    isUp: () => current !== undefined,
    attach: (folder) => {
      current = clientOf(folder);
      count += 1;
    },
    detach,
  };
};
