/** The token that a browser sends among the protocols of a WebSocket. Source: apiserver v1.34 `authentication/request/websocket`. */

const PREFIX = 'base64url.bearer.authorization.k8s.io.';

/** The token in a protocol's name; `undefined` for an ordinary one. */
export const bearerProtocol = (name: string): string | undefined =>
  name.startsWith(PREFIX) ? Buffer.from(name.slice(PREFIX.length), 'base64url').toString() : undefined;

type Headers = Readonly<Record<string, string | undefined>>;

/** The headers with the token of the protocols as `Authorization`, unless they have one. */
export const withProtocolToken = (headers: Headers): Headers => {
  const offered = headers['sec-websocket-protocol'];
  if (offered === undefined || headers['authorization'] !== undefined) return headers;
  const [token] = offered.split(',').flatMap((name) => bearerProtocol(name.trim()) ?? []);
  return token === undefined || /\s/.test(token) ? headers : { ...headers, authorization: `Bearer ${token}` };
};
