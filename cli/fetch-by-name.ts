import { request } from 'node:http';
import type { LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';

/** LocalStack names its function URLs `<id>.….localhost`: loopback by RFC 6761, but Node's resolver does not know it. */
const isLoopbackName = ({ hostname }: URL): boolean => hostname.endsWith('.localhost');

const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

const send = (url: URL, { method = 'GET', headers, body }: RequestInit): Promise<Response> =>
  new Promise((resolve, reject) => {
    const sent = { method, lookup, headers: Object.fromEntries(new Headers(headers)) };
    const outgoing = request(url, sent, (incoming) => {
      const status = incoming.statusCode ?? 500;
      text(incoming).then((answer) => resolve(new Response(answer, { status })), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : undefined);
  });

/** `fetch` that also finds names below `localhost`. */
export const fetchByName: typeof fetch = (input, init = {}) => {
  const url = new URL(input instanceof Request ? input.url : input);
  return isLoopbackName(url) ? send(url, init) : fetch(input, init);
};
