/** One server that stands for many nodes, each of which answers in its own bad way when it is asked what it uses. */
import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createAuthority } from '../../../shared/serving/http/certificates.ts';

/** As large as a careless reader may ever have taken. */
const LARGE = 32 * 2 ** 20;
const DRIP_MS = 500;
const USED = { cpu: { usageNanoCores: 1 }, memory: { workingSetBytes: 2 } };
const HEAD = '{"node":{"cpu":{"usageNanoCores":1},"memory":{"workingSetBytes":2}},"pods":[';

const filled = (unit: string, bytes: number): Buffer =>
  Buffer.from(`${HEAD}${unit.repeat(Math.floor(bytes / unit.length))}{}]}`);

const pod = (index: number): object => ({
  podRef: { namespace: 'default', name: `p${index}`, uid: `u${index}` },
  [`k${index}`]: 1,
  containers: [{ name: 'c', ...USED }],
});

/** As much as may be read, and as hard to parse. */
const legal = (): Buffer =>
  Buffer.from(JSON.stringify({ node: USED, pods: Array.from({ length: 4_500 }, (_, index) => pod(index)) }));

const sendAll = (body: Buffer, headers: Readonly<Record<string, string>> = {}) => {
  return (response: ServerResponse): void => void response.writeHead(200, headers).end(body);
};

const drip = (response: ServerResponse): void => {
  response.writeHead(200);
  const timer = setInterval(() => response.write(' '), DRIP_MS);
  response.on('close', () => clearInterval(timer));
};

const manners = (): Readonly<Record<string, (response: ServerResponse) => void>> => ({
  objects: sendAll(filled('{},', LARGE)),
  arrays: sendAll(filled('[],', LARGE)),
  pods: sendAll(filled('{"podRef":{},"containers":[]},', LARGE)),
  text: sendAll(Buffer.from(`"${'x'.repeat(LARGE)}"`)),
  packed: sendAll(gzipSync(filled('{},', LARGE)), { 'content-encoding': 'gzip' }),
  legal: sendAll(legal()),
  elsewhere: (response) => void response.writeHead(307, { location: '/stats/summary' }).end(),
  drip,
  silent: () => undefined,
  honest: sendAll(Buffer.from(JSON.stringify({ node: USED, pods: [] }))),
});

/** The ways, as names of nodes begin with them. The last one is that of an honest node. */
export const MANNERS = [
  'objects',
  'arrays',
  'pods',
  'text',
  'packed',
  'legal',
  'elsewhere',
  'drip',
  'silent',
  'honest',
] as const;

/** A server that answers as the name of the node, which is the Host of the request, says. */
export interface HostileNodes {
  readonly port: number;
  /** SHA-256 of the certificate, lower hexadecimal. */
  readonly fingerprint: string;
  close(): Promise<void>;
}

/** Starts it on a free port of loopback. */
export const startHostileNodes = async (): Promise<HostileNodes> => {
  const { certificate: cert, key } = await createAuthority(Date.now());
  const byName = manners();
  const server = createServer({ cert, key }, (request, response) => {
    response.on('error', () => undefined);
    byName[(request.headers.host ?? '').split('-')[0] ?? '']?.(response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    fingerprint: new X509Certificate(cert).fingerprint256.replaceAll(':', '').toLowerCase(),
    close: async () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
