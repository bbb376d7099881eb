/** Requests about a node's token: create one, or allow a bootstrap token to create one again. */

import { TOKEN_RELEASED_ANNOTATION } from '../../shared/kinds/admission/node-annotations.ts';
import { printable } from '../../shared/kube/text/printable.ts';
import type { CommandContext } from '../shell/command.ts';
import { CommandError } from '../shell/command.ts';
import { askAboutNode, type NodeAccess } from './api-requests.ts';

interface Answer {
  readonly status?: { readonly token?: string };
}

/** Requests a token of the node, valid for `ttlSeconds`. Throws a `CommandError` when the API refuses or cannot be reached. */
export const requestNodeToken = async (
  access: NodeAccess,
  ttlSeconds: number,
  context: CommandContext,
): Promise<string> => {
  const path = ['/apis/rollcall.dev/v1/nodes', '/token'] as const;
  const message = { method: 'POST', path, type: 'application/json', body: { ttlSeconds } } as const;
  const { status, message: why = 'no token in the answer' } = await askAboutNode<Answer>(
    access,
    message,
    context,
  );
  if (status?.token === undefined) throw new CommandError(`${access.server} answered: ${printable(why)}`);
  return status.token;
};

/** Allows a bootstrap token to fetch the node's next token. Throws a `CommandError` when the API refuses or cannot be reached. */
export const releaseNode = async (access: NodeAccess, context: CommandContext): Promise<void> => {
  const body = { metadata: { annotations: { [TOKEN_RELEASED_ANNOTATION]: 'true' } } };
  const type = 'application/merge-patch+json';
  await askAboutNode(access, { method: 'PATCH', path: ['/api/v1/nodes', ''], type, body }, context);
};
