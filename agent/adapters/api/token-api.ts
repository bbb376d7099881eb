/** Issues tokens of nodes. */
import { issuerOf } from '../../rules/registration/own-token.ts';
import { type ApiSession, bodyOf } from './session.ts';

export interface IssuedToken {
  readonly token: string;
  readonly nodeUid: string;
  readonly clusterId: string;
}

interface NodeToken {
  readonly metadata: { readonly uid: string };
  readonly status: { readonly token: string };
}

/** A token for the Node with the credentials of the session. Rejects with an `ApiRefusal` if the API refuses. */
export const requestToken = async (
  { request }: Pick<ApiSession, 'request'>,
  nodeName: string,
  lifeMs: number,
): Promise<IssuedToken> => {
  const path = `/apis/rollcall.dev/v1/nodes/${encodeURIComponent(nodeName)}/token`;
  const answer = await request('POST', path, { body: { ttlSeconds: Math.floor(lifeMs / 1000) } });
  const { metadata, status } = bodyOf<NodeToken>(answer);
  const { token } = status;
  return { token, nodeUid: metadata.uid, clusterId: issuerOf(token) ?? '' };
};
