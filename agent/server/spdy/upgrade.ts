/** The change of a connection from HTTP to SPDY/3.1. Source: kubernetes v1.34 staging/src/k8s.io/apimachinery/pkg/util/httpstream. */
import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { NodeFault, type Upgrade } from '../contract/handlers.ts';

const PROTOCOL_HEADER = 'x-stream-protocol-version';

export const isSpdy = ({ headers }: IncomingMessage): boolean =>
  (headers.upgrade ?? '').toLowerCase() === 'spdy/3.1';

/** Several headers of that name come joined by commas. None is offered by the first clients of port-forward. */
const offeredBy = ({ headers }: IncomingMessage): readonly string[] =>
  String(headers[PROTOCOL_HEADER] ?? '')
    .split(',')
    .map((one) => one.trim())
    .filter(Boolean);

/** Answers the request. Throws a `NodeFault` if the client does not offer the protocol. */
export const acceptSpdy = ({ request, socket, head }: Upgrade, protocol: string): Duplex => {
  const offered = offeredBy(request);
  if (offered.length > 0 && !offered.includes(protocol))
    throw new NodeFault(
      403,
      `unable to upgrade: none of the protocols ${offered.join(', ')} is known; known is ${protocol}`,
    );
  const lines = ['HTTP/1.1 101 Switching Protocols', 'Connection: Upgrade', 'Upgrade: SPDY/3.1'];
  socket.write([...lines, `X-Stream-Protocol-Version: ${protocol}`, '', ''].join('\r\n'));
  if (head.length > 0) socket.unshift(head);
  return socket;
};
