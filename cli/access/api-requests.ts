/** Requests of commands to the API. */
import { printable } from '../../shared/kube/text/printable.ts';
import { optional } from '../../shared/kube/values/optional.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError, reasonOf } from '../shell/command.ts';
import { readAnswer } from './api-answer.ts';

/** An API, and a token that it accepts. */
export interface TokenAccess {
  readonly server: string;
  /** PEM of the server's certificate authority; `undefined` if it is a public one. */
  readonly ca?: string | undefined;
  readonly token: string;
}

/** A request to the API. */
export interface ApiRequest {
  readonly method: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  readonly path: string;
  /** Media type of the body. */
  readonly type?: string;
  readonly body?: object;
  /** What is wrong if the answer is 404 and has this message. */
  readonly missing?: (message: string) => string;
}

/** A Node, and an administrator's access to its API. */
export interface NodeAccess extends Omit<TokenAccess, 'token'> {
  readonly adminToken: string;
  readonly node: string;
}

/** A request about the Node. */
export interface NodeRequest extends Pick<ApiRequest, 'type' | 'body'> {
  readonly method: 'GET' | 'POST' | 'PATCH';
  /** The path before and after the node's name. */
  readonly path: readonly [string, string];
}

const send = async (
  { server, ca, token }: TokenAccess,
  { method, path, type, body }: ApiRequest,
  context: CommandContext,
): Promise<Response> => {
  try {
    return await context.fetch(`${server.replace(/\/+$/, '')}${path}`, {
      method,
      ...optional('ca', ca),
      headers: {
        authorization: `Bearer ${token}`,
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

const refusalOf = (
  status: number,
  message: string,
  server: string,
  { missing }: ApiRequest,
): CommandError => {
  if (status === 404 && missing) return new CommandError(missing(message));
  if (status === 401)
    return new CommandError(
      `${server} does not accept the token: ${message}. Is the kubeconfig, or the key that signs the token, of that cluster, and is --cluster-id its id?`,
    );
  return new CommandError(`${server} answered ${status}: ${message}`);
};

/** Sends a request to the API. Throws a `CommandError` when it refuses or cannot be reached. */
export const askApi = async <T>(
  access: TokenAccess,
  request: ApiRequest,
  context: CommandContext,
): Promise<T & { readonly message?: string }> => {
  const response = await send(access, request, context);
  const answer = await readAnswer<T>(response);
  if (response.ok) return answer;
  throw refusalOf(response.status, printable(answer.message ?? 'no reason given'), access.server, request);
};

/** Sends a request about a Node. Throws a `CommandError` when the API refuses or cannot be reached. */
export const askAboutNode = <T>(
  { node, adminToken: token, ...access }: NodeAccess,
  { path: [root, part], ...request }: NodeRequest,
  context: CommandContext,
): Promise<T & { readonly message?: string }> =>
  askApi<T>(
    { ...access, token },
    {
      ...request,
      path: `${root}/${encodeURIComponent(node)}${part}`,
      missing: (message) =>
        `there is no Node "${node}" at ${access.server}: ${message}. Register the Node first.`,
    },
    context,
  );
