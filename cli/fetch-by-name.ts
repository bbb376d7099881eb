import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { LookupFunction } from 'node:net';
import { text } from 'node:stream/consumers';
import type { CommandContext } from './command.ts';

/** LocalStack names its function URLs `<id>.….localhost`: loopback by RFC 6761, but Node's resolver does not know it. */
const isLoopbackName = ({ hostname }: URL): boolean => hostname.endsWith('.localhost');

const lookup: LookupFunction = (_hostname, options, done) => {
  if (options.all) done(null, [{ address: '127.0.0.1', family: 4 }]);
  else done(null, '127.0.0.1', 4);
};

type Init = NonNullable<Parameters<CommandContext['fetch']>[1]>;

const send = (url: URL, { method = 'GET', headers, body, ca }: Init): Promise<Response> =>
  new Promise((resolve, reject) => {
    const sent = {
      method,
      headers: Object.fromEntries(new Headers(headers)),
      ...(ca === undefined ? {} : { ca }),
      ...(isLoopbackName(url) ? { lookup } : {}),
    };
    const request = url.protocol === 'https:' ? requestHttps : requestHttp;
    const outgoing = request(url, sent, (incoming) => {
      const status = incoming.statusCode ?? 500;
      text(incoming).then((answer) => resolve(new Response(answer, { status })), reject);
    });
    outgoing.on('error', reject);
    outgoing.end(typeof body === 'string' ? body : undefined);
  });

/** `fetch` that also finds names below `localhost`, and trusts an authority that is given. */
export const fetchByName: CommandContext['fetch'] = (input, init = {}) => {
  const url = new URL(input);
  return isLoopbackName(url) || init.ca !== undefined ? send(url, init) : fetch(input, init);
};
