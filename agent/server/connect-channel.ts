/** Connects to the control plane, or to the gateway that it names, for a channel. */
import { createHash, timingSafeEqual } from 'node:crypto';
import { once } from 'node:events';
import { connect as connectTls, type TLSSocket } from 'node:tls';
import { type ClientOptions, WebSocket } from 'ws';
import { createLongAgent } from '../../shared/client/transport.ts';
import type { Addresses } from '../adapters/api/session.ts';
import type { ChannelCall } from '../rules/registration/channel-call.ts';
import type { ChannelDeps } from './channel.ts';

export interface ConnectDeps {
  readonly addresses: Pick<Addresses, 'server' | 'ca' | 'proxies'>;
  readonly nodeName: string;
  /** The node's own. */
  token(): string;
}

const CONNECT_MS = 10_000;
/** Streams carry records of TLS. */
const MOST_MESSAGE_BYTES = 1024 * 1024;
const HTTPS_PORT = 443;

const isSame = (a: string, b: string): boolean =>
  a.length === b.length && timingSafeEqual(Buffer.from(a), Buffer.from(b));

/** A connection to whoever has this very certificate: nothing is sent before that is known. */
const pinned = async ({ hostname, port }: URL, fingerprint: string): Promise<TLSSocket> => {
  const host = hostname.replace(/^\[(.*)\]$/, '$1');
  // The certificate itself is known, so nobody has to have signed it.
  const socket = connectTls({ host, port: Number(port || HTTPS_PORT), rejectUnauthorized: false });
  socket.setTimeout(CONNECT_MS, () => socket.destroy(new Error(`${hostname} does not answer`)));
  await once(socket, 'secureConnect');
  socket.setTimeout(0);
  const shown = createHash('sha256').update(socket.getPeerCertificate().raw).digest('hex');
  if (isSame(shown, fingerprint)) return socket;
  socket.destroy();
  throw new Error(`${hostname} has another certificate than the control plane says`);
};

const connectionTo = async (
  url: URL,
  { certificate }: ChannelCall,
  { addresses: { ca, proxies } }: ConnectDeps,
): Promise<ClientOptions> => {
  if (certificate === undefined) return { agent: createLongAgent({ url, ca, proxies }) };
  const socket = await pinned(url, certificate);
  return { createConnection: () => socket };
};

/** The URL of the channel, or of one of its streams, at the API or at the gateway of the call. */
const addressOf = ({ addresses, nodeName }: ConnectDeps, call: ChannelCall, stream?: string): URL => {
  const base = (call.url ?? addresses.server).replace(/\/+$/, '');
  const path = `${base}/apis/rollcall.dev/v1/nodes/${encodeURIComponent(nodeName)}/channel`;
  return new URL(stream === undefined ? `${path}?id=${encodeURIComponent(call.id)}` : `${path}/${stream}`);
};

export const createConnect =
  (deps: ConnectDeps): ChannelDeps['connect'] =>
  async (call, stream) => {
    const url = addressOf(deps, call, stream);
    const options = await connectionTo(url, call, deps);
    url.protocol = url.protocol.replace('http', 'ws');
    const socket = new WebSocket(url, {
      ...options,
      handshakeTimeout: CONNECT_MS,
      maxPayload: MOST_MESSAGE_BYTES,
      perMessageDeflate: false,
      headers: { authorization: `Bearer ${deps.token()}` },
    });
    // What happens later is told by its end.
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    socket.on('error', reject);
    socket.once('open', resolve);
    await promise;
    return socket;
  };
