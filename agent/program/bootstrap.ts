/** What a bootstrap token lets a machine do that has joined not yet. */
import { createNodeRegistry, nodePath } from '../adapters/api/node-api.ts';
import { type Addresses, createApiSession } from '../adapters/api/session.ts';
import { requestToken } from '../adapters/api/token-api.ts';
import { meaningOf, type OwnToken } from '../rules/registration/own-token.ts';

export interface BootstrapSource {
  readonly addresses: Addresses;
  /** Absent: none was given. */
  readonly bootstrapToken?: string;
  readonly settings: { readonly nodeName: string };
  /** For how long the node's own tokens are issued, ms. */
  readonly tokenLifeMs: number;
}

/** Nothing if there is no such token. */
export const bootstrapOf = ({ addresses, bootstrapToken, settings, tokenLifeMs }: BootstrapSource) => {
  if (bootstrapToken === undefined) return {};
  const session = createApiSession({ addresses, token: () => bootstrapToken });
  const issue = () => requestToken(session, settings.nodeName, tokenLifeMs);
  const isVoid = async (own: OwnToken): Promise<boolean> => {
    const ownSession = createApiSession({ addresses, token: () => own.token });
    const { status } = await ownSession.request('GET', nodePath(own.nodeName));
    ownSession.reset();
    return status === 401;
  };
  const meaning = (own: OwnToken) => meaningOf(bootstrapToken, own);
  return { bootstrap: { nodes: createNodeRegistry(session), issue, meaning, isVoid } };
};
