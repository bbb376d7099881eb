import { createApiServer } from '../../../shared/apiserver/api-server.ts';
import type { HttpRequest } from '../../../shared/apiserver/contract/http.ts';
import type { Pause } from '../../../shared/apiserver/contract/in-turns.ts';
import type { AbusiveRequest } from '../../support/abuse/abuse.ts';
import { adminToken, type Stores, serverDeps } from '../api/servers.ts';

export interface Sender {
  /** The request as the server reads it, made beforehand so that making it is not measured. */
  prepare(request: AbusiveRequest): HttpRequest;
  /** Serves the request. Rejects when the server itself failed. */
  serve(request: HttpRequest): Promise<unknown>;
}

/** Sends requests of an administrator to an API in this process. */
export const createSender = async (state: Stores, pause: Pause): Promise<Sender> => {
  const serve = createApiServer({ ...serverDeps(state), pause });
  const authorization = `Bearer ${await adminToken()}`;
  return {
    prepare: ({ method, path, headers, body }) => {
      const { pathname, searchParams } = new URL(path, 'http://api.test');
      const bytes = typeof body === 'string' ? new TextEncoder().encode(body) : body;
      return {
        method,
        path: pathname,
        query: searchParams,
        headers: { ...headers, authorization },
        body: bytes,
      };
    },
    serve: async (request) => {
      const { status, body } = await serve(request);
      if (status >= 500) throw new Error(`${request.method} ${request.path}: ${status} ${String(body)}`);
    },
  };
};
