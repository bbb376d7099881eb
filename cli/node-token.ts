/** Requests about a node's token: create one, or allow a bootstrap token to create one again. */
import { printable } from '../shared/api/printable.ts';
import { TOKEN_RELEASED_ANNOTATION } from '../shared/apiserver/admission/node-annotations.ts';
import { readAnswer } from './api-answer.ts';
import type { CommandContext } from './command.ts';
import { CommandError, reasonOf } from './command.ts';

/** A Node, and an administrator's access to its API. */
export interface NodeAccess {
  readonly server: string;
  /** PEM of the server's certificate authority; `undefined` if it is a public one. */
  readonly ca?: string | undefined;
  readonly adminToken: string;
  readonly node: string;
}

interface Message {
  readonly method: 'POST' | 'PATCH';
  /** The path before and after the node's name. */
  readonly path: readonly [string, string];
  readonly type: string;
  readonly body: object;
}

const send = async (
  { server, ca, adminToken, node }: NodeAccess,
  { method, path: [root, part], type, body }: Message,
  context: CommandContext,
): Promise<Response> => {
  try {
    return await context.fetch(`${server.replace(/\/+$/, '')}${root}/${encodeURIComponent(node)}${part}`, {
      method,
      ...(ca === undefined ? {} : { ca }),
      headers: { authorization: `Bearer ${adminToken}`, 'content-type': type },
      body: JSON.stringify(body),
    });
  } catch (error) {
    const cause =
      error instanceof Error && error.cause !== undefined ? reasonOf(error.cause) : reasonOf(error);
    throw new CommandError(
      `the API at ${server} does not answer: ${cause}. Is the address right (--server)? If its certificate authority is not a public one, set NODE_EXTRA_CA_CERTS.`,
    );
  }
};

const refusalOf = (status: number, message: string, { node, server }: NodeAccess): CommandError => {
  if (status === 404)
    return new CommandError(`there is no Node "${node}" at ${server}: ${message}. Register the Node first.`);
  if (status === 401)
    return new CommandError(
      `${server} does not accept this key: ${message}. Is it the key of that cluster, and is --cluster-id its id?`,
    );
  return new CommandError(`${server} answered ${status}: ${message}`);
};

interface Answer {
  readonly message?: string;
  readonly status?: { readonly token?: string };
}

/** Sends a request to the API. Throws a `CommandError` when it refuses or cannot be reached. */
const ask = async (access: NodeAccess, message: Message, context: CommandContext): Promise<Answer> => {
  const response = await send(access, message, context);
  const answer = await readAnswer<Answer>(response);
  if (response.ok) return answer;
  throw refusalOf(response.status, printable(answer.message ?? 'no reason given'), access);
};

/** Requests a token of the node, valid for `ttlSeconds`. Throws a `CommandError` when the API refuses or cannot be reached. */
export const requestNodeToken = async (
  access: NodeAccess,
  ttlSeconds: number,
  context: CommandContext,
): Promise<string> => {
  const path = ['/apis/rollcall.dev/v1/nodes', '/token'] as const;
  const message = { method: 'POST', path, type: 'application/json', body: { ttlSeconds } } as const;
  const { status, message: why = 'no token in the answer' } = await ask(access, message, context);
  if (status?.token === undefined) throw new CommandError(`${access.server} answered: ${printable(why)}`);
  return status.token;
};

/** Allows a bootstrap token to fetch the node's next token. Throws a `CommandError` when the API refuses or cannot be reached. */
export const releaseNode = async (access: NodeAccess, context: CommandContext): Promise<void> => {
  const body = { metadata: { annotations: { [TOKEN_RELEASED_ANNOTATION]: 'true' } } };
  const type = 'application/merge-patch+json';
  await ask(access, { method: 'PATCH', path: ['/api/v1/nodes', ''], type, body }, context);
};
