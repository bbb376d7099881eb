import { text } from 'node:stream/consumers';
import { createTransport, isLoopbackName } from '../../shared/client/transport.ts';
import type { CommandContext } from './command.ts';

type Init = NonNullable<Parameters<CommandContext['fetch']>[1]>;

const send = async (url: URL, { method = 'GET', headers, body, ca, signal }: Init): Promise<Response> => {
  const transport = createTransport({ url: new URL(url.origin), ca, maxSockets: 1 });
  try {
    const answer = await transport.send({
      method,
      path: `${url.pathname}${url.search}`,
      signal: signal ?? undefined,
      headers: Object.fromEntries(new Headers(headers)),
      ...(typeof body === 'string' ? { body: Buffer.from(body) } : {}),
    });
    return new Response(await text(answer), { status: answer.statusCode ?? 500 });
  } finally {
    transport.close();
  }
};

/** `fetch` that also resolves names below `localhost`, and trusts the certificate authority `ca`. */
export const fetchByName: CommandContext['fetch'] = (input, init = {}) => {
  const url = new URL(input);
  return isLoopbackName(url) || init.ca !== undefined ? send(url, init) : fetch(input, init);
};
