/** Requests to the API over a gateway, with a token that is made anew before it ends. */
import type { HttpResponse } from '../../../shared/apiserver/contract/http.ts';
import type { Serve } from '../../../shared/apiserver/serve.ts';

/** An answer: its body as text. */
export interface ApiAnswer {
  readonly status: number;
  readonly text: string;
}

export interface ApiDeps {
  readonly serve: Serve;
  readonly token: () => Promise<string>;
}

interface Sent {
  readonly body?: Uint8Array;
  /** Media type of the body. */
  readonly type?: string;
  readonly signal?: AbortSignal;
}

/** Sends a request. `url`: a path of the API with its query. */
export type Send = (method: string, url: string, sent?: Sent) => Promise<HttpResponse>;

export const textOf = ({ body }: HttpResponse): string =>
  typeof body === 'string' ? body : Buffer.from(body).toString();

/** The answer, when all of it is there. */
export const answered = async (response: Promise<HttpResponse>): Promise<ApiAnswer> => {
  const settled = await response;
  return { status: settled.status, text: textOf(settled) };
};

/** Creates it over `serve`, with the token of whoever asks. */
export const createSend =
  ({ serve, token }: ApiDeps): Send =>
  async (method, url, { body = new Uint8Array(), type, signal } = {}) => {
    const [path = '', query = ''] = url.split('?', 2);
    const headers = { authorization: `Bearer ${await token()}`, accept: 'application/json' };
    return serve({
      method,
      path,
      query: new URLSearchParams(query),
      body,
      headers: type === undefined ? headers : { ...headers, 'content-type': type },
      ...(signal ? { signal } : {}),
    });
  };
