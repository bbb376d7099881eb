/** A client that watches by a kubeconfig, and records when (ms) events arrive. */
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { request } from 'node:https';
import { createInterface } from 'node:readline';
import { parse } from 'yaml';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';

export interface Arrival {
  readonly type: string;
  readonly object: ApiObject;
  readonly at: number;
}

export interface WatchingClient {
  readonly arrivals: readonly Arrival[];
  leave(): void;
}

interface Kubeconfig {
  readonly clusters: readonly { readonly cluster: Readonly<Record<string, string>> }[];
  readonly users: readonly { readonly user: { readonly token: string } }[];
}

export const watchBy = async (kubeconfig: string, path: string): Promise<WatchingClient> => {
  const { clusters, users } = parse(readFileSync(kubeconfig, 'utf8')) as Kubeconfig;
  const { server = '', 'certificate-authority-data': ca = '' } = clusters[0]?.cluster ?? {};
  const headers = { authorization: `Bearer ${users[0]?.user.token}` };
  const sent = request(new URL(path, server), { ca: Buffer.from(ca, 'base64'), headers, agent: false }).end();
  const [response] = (await once(sent, 'response')) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the watch was answered ${response.statusCode}`);
  const arrivals: Arrival[] = [];
  const lines = createInterface({ input: response });
  lines.on('line', (line) => {
    arrivals.push({ ...(JSON.parse(line) as Omit<Arrival, 'at'>), at: performance.now() });
  });
  // Destroying the request causes errors on all three.
  lines.on('error', () => undefined);
  sent.on('error', () => undefined);
  response.on('error', () => undefined);
  return { arrivals, leave: () => sent.destroy() };
};
