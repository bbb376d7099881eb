/** A node's token comes from the API, which knows the Node's uid and keeps account of living tokens. */
import { printable } from '../shared/api/printable.ts';
import type { CommandContext } from './command.ts';
import { CommandError, reasonOf } from './command.ts';

export interface NodeTokenRequest {
  readonly server: string;
  /** PEM of the server's authority; `undefined`: one that every machine knows. */
  readonly ca?: string | undefined;
  readonly adminToken: string;
  readonly node: string;
  readonly ttlSeconds: number;
}

const urlOf = ({ server, node }: NodeTokenRequest): string =>
  `${server.replace(/\/+$/, '')}/apis/rollcall.dev/v1/nodes/${encodeURIComponent(node)}/token`;

const send = async (request: NodeTokenRequest, context: CommandContext): Promise<Response> => {
  try {
    return await context.fetch(urlOf(request), {
      method: 'POST',
      ...(request.ca === undefined ? {} : { ca: request.ca }),
      headers: { authorization: `Bearer ${request.adminToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ ttlSeconds: request.ttlSeconds }),
    });
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
    throw new CommandError(
      `the API at ${request.server} does not answer: ${cause}. Is the address right (--server)? For a certificate of your own set NODE_EXTRA_CA_CERTS.`,
    );
  }
};

const refusalOf = (status: number, message: string, { node, server }: NodeTokenRequest): CommandError => {
  if (status === 404)
    return new CommandError(`there is no Node "${node}" at ${server}: ${message}. Register the Node first.`);
  if (status === 401)
    return new CommandError(
      `${server} does not accept our key: ${message}. Is it the key of that cluster, and --cluster-id its id?`,
    );
  return new CommandError(`${server} answered ${status}: ${message}`);
};

interface Answer {
  readonly message?: string;
  readonly status?: { readonly token?: string };
}

const readAnswer = async (response: Response): Promise<Answer> => {
  const text = await response.text();
  try {
    return JSON.parse(text) as Answer;
  } catch {
    return { message: text.slice(0, 200) };
  }
};

/** The token. Throws a `CommandError` when the API refuses or cannot be reached. */
export const requestNodeToken = async (
  request: NodeTokenRequest,
  context: CommandContext,
): Promise<string> => {
  const response = await send(request, context);
  const { message = 'no reason given', status } = await readAnswer(response);
  const token = response.ok ? status?.token : undefined;
  if (token === undefined) throw refusalOf(response.status, printable(message), request);
  return token;
};
