/** The token of a machine, and API calls with it. */
import type { ApiClient, ApiResponse } from '../../shared/client/api-client.ts';
import { expectOk } from '../../shared/client/api-client.ts';

interface NodeToken {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** Milliseconds before a failed renewal is tried again. */
const RETRY_MS = 60_000;

interface SessionDeps {
  readonly client: ApiClient;
  readonly now: () => number;
  /** Called for each request, because the token may change. */
  readonly adminToken: () => string;
}

export interface Session {
  /** Requests the machine's token with `token` as credentials. */
  beginAs(token: string): Promise<void>;
  /** Requests a new token after half of the current one's lifetime. Never rejects. */
  renewIfDue(): Promise<void>;
  /**
   * Sends a request with the machine's token. If the token is refused because its key was retired, requests another as
   * admin.
   */
  call(method: string, path: string, body?: object): Promise<ApiResponse>;
}

/** `name`: name of the Node. */
export const createSession = (name: string, { client, now, adminToken }: SessionDeps): Session => {
  let token = '';
  let renewAt = 0;

  const beginAs = async (asker: string): Promise<void> => {
    const path = `/apis/rollcall.dev/v1/nodes/${name}/token`;
    const { status } = await expectOk<NodeToken>(client.call('POST', path, asker));
    token = status.token;
    renewAt = (now() + Date.parse(status.expirationTimestamp)) / 2;
  };
  const call = async (method: string, path: string, body?: object): Promise<ApiResponse> => {
    const answer = await client.call(method, path, token, body);
    if (answer.status !== 401) return answer;
    await beginAs(adminToken());
    return client.call(method, path, token, body);
  };
  const renewIfDue = async (): Promise<void> => {
    if (now() < renewAt) return;
    try {
      await beginAs(token);
    } catch {
      // The current token is valid for as long again. If it is not, the next call replaces it.
      renewAt = now() + RETRY_MS;
    }
  };
  return { beginAs, renewIfDue, call };
};
