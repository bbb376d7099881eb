/** Calls to a service of the operator over HTTP. */
import { SERVICE } from '../../kube/json/answer-bounds.ts';
import { readBoundedText } from '../../kube/json/bounded-answer.ts';

/** Milliseconds for one call. */
const TIMEOUT_MS = 10_000;

export interface WebhookOptions {
  /** `https:`, or `http:` within one machine or network. */
  readonly url: string;
  /** The bearer token; `undefined`: none is sent. It is asked for with each call, so that it may change. */
  readonly token: () => Promise<string | undefined>;
  readonly fetch?: typeof fetch;
}

export interface WebhookAnswer {
  readonly status: number;
  /** The parsed body; `undefined` if it is empty or no JSON. */
  readonly body: unknown;
}

const parsed = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

/** Sends a POST with JSON and resolves to its answer, whatever the status is. Rejects if it is not whole in time, or exceeds `SERVICE`. Redirects are not followed. */
export const callWebhook = async (
  { url, token, fetch: send = fetch }: WebhookOptions,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<WebhookAnswer> => {
  const secret = await token();
  const answer = await send(url, {
    method: 'POST',
    redirect: 'error',
    headers: {
      'content-type': 'application/json',
      ...(secret === undefined ? {} : { authorization: `Bearer ${secret}` }),
      ...headers,
    },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(TIMEOUT_MS),
  });
  return { status: answer.status, body: parsed(await readBoundedText(answer.body, SERVICE)) };
};
