import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type ApiClient, createApiClient } from '../../shared/client/api-client.ts';

/** The way to the host that runs at present; calls reject while none does. */
export interface Link {
  readonly client: ApiClient;
  /** How often a host was attached. */
  generation(): number;
  isUp(): boolean;
  /** To be called when a host on `folder` is ready. */
  attach(folder: string): void;
  /** To be called when it is gone. */
  detach(): void;
}

/** Of the folder's administrator. It stays good over restarts, for the signing key does. */
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
