/** A machine's own token, and calls with it. */
import type { ApiClient, ApiResponse } from '../../shared/client/api-client.ts';
import { expectOk } from '../../shared/client/api-client.ts';

interface NodeToken {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** Milliseconds after which a renewal that failed is tried again. */
const RETRY_MS = 60_000;

interface SessionDeps {
  readonly client: ApiClient;
  readonly now: () => number;
  /** Asked for each time. */
  readonly adminToken: () => string;
}

export interface Session {
  /** Gets the machine's token, asked for with `token`. */
  beginAs(token: string): Promise<void>;
  /** Gets another token at half of the present one's time. Never rejects. */
  renewIfDue(): Promise<void>;
  /** A call with the machine's own token; one that is void, because its key was retired, is replaced by the site's tooling. */
  call(method: string, path: string, body?: object): Promise<ApiResponse>;
}

/** `name`: of the Node. */
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
      // The present token is good for as long again; a void one is replaced by the next call.
      renewAt = now() + RETRY_MS;
    }
  };
  return { beginAs, renewIfDue, call };
};
