/** Requests about one Node, by an administrator. */
import { printable } from '../../shared/kube/text/printable.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { readAnswer } from './api-answer.ts';

/** A Node, and an administrator's access to its API. */
export interface NodeAccess {
  readonly server: string;
  /** PEM of the server's certificate authority; `undefined` if it is a public one. */
  readonly ca?: string | undefined;
  readonly adminToken: string;
  readonly node: string;
}

/** A request about the Node. */
export interface NodeRequest {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path before and after the node's name. */
  readonly path: readonly [string, string];
  /** Media type of the body. */
  readonly type?: string;
  readonly body?: object;
}

const send = async (
  { server, ca, adminToken, node }: NodeAccess,
  { method, path: [root, part], type, body }: NodeRequest,
  context: CommandContext,
): Promise<Response> => {
  try {
    return await context.fetch(`${server.replace(/\/+$/, '')}${root}/${encodeURIComponent(node)}${part}`, {
      method,
      ...optional('ca', ca),
      headers: {
        authorization: `Bearer ${adminToken}`,
        ...optional('content-type', type),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
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
      `${server} does not accept the token: ${message}. Is the kubeconfig, or the key that signs the token, of that cluster, and is --cluster-id its id?`,
    );
  return new CommandError(`${server} answered ${status}: ${message}`);
};

/** Sends a request to the API. Throws a `CommandError` when it refuses or cannot be reached. */
export const askAboutNode = async <T>(
  access: NodeAccess,
  message: NodeRequest,
  context: CommandContext,
): Promise<T & { readonly message?: string }> => {
  const response = await send(access, message, context);
  const answer = await readAnswer<T>(response);
  if (response.ok) return answer;
  throw refusalOf(response.status, printable(answer.message ?? 'no reason given'), access);
};
