/** The client of the API that a gateway forwards to. */
import type { IncomingMessage } from 'node:http';
import { createTransport, isReading, type SentRequest } from '../../shared/client/transport.ts';
import { type AnswerBounds, PASSED_ON } from '../../shared/kube/json/answer-bounds.ts';
import { readBounded } from '../../shared/kube/json/bounded-answer.ts';
import { platformRefusal, problemOf } from './upstream-problem.ts';

export type UpstreamRequest = Omit<SentRequest, 'isLong'>;

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Uint8Array;
}

/** A response whose body is still arriving. Reading the body may throw what `send` rejects with. */
export interface OpenResponse extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
}

/** Sends requests to the API. */
export interface Upstream {
  /**
   * Rejects with a `StatusError`: 503 while the API is unreachable, 504 if the answer takes too long, 500 if it is unknown whether a
   * change was made. After an abort it rejects with the reason of the abort.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** The same for long, streamed answers. They do not count towards `maxSockets`. */
  open(request: UpstreamRequest): Promise<OpenResponse>;
  close(): void;
}

export interface UpstreamOptions {
  /** URL of the API. If it has a path, the paths of requests are appended to it. */
  readonly url: URL;
  /** Certificate of the CA (PEM) if a private CA signed the API's certificate. */
  readonly ca?: string;
  /** Milliseconds without a byte after which a request fails. It must be longer than any poll. */
  readonly timeoutMs: number;
  /** Most connections at the same time, besides those of `open`. */
  readonly maxSockets: number;
  /** Of the whole answers of `send`. Default: `PASSED_ON`. */
  readonly bounds?: AnswerBounds;
}

/** Opens connections when they are needed and reuses them. */
export const createUpstream = (options: UpstreamOptions): Upstream => {
  const transport = createTransport(options);
  const { bounds = PASSED_ON } = options;

  const sent = async (wanted: SentRequest): Promise<IncomingMessage> => {
    const response = await transport.send(wanted);
    const refusal = platformRefusal(options, response.statusCode ?? 0, response.headers);
    if (!refusal) return response;
    response.resume();
    throw refusal;
  };

  const explained = async <T>(wanted: UpstreamRequest, work: () => Promise<T>): Promise<T> => {
    try {
      return await work();
    } catch (error) {
      throw problemOf(error, { ...options, isReading: isReading(wanted) });
    }
  };

  async function* bodyOf(wanted: UpstreamRequest, response: IncomingMessage): AsyncGenerator<Uint8Array> {
    const chunks = response[Symbol.asyncIterator]();
    try {
      for (;;) {
        const { done, value } = await explained(wanted, () => chunks.next());
        if (done) return;
        yield value as Uint8Array;
      }
    } finally {
      response.destroy();
    }
  }

  const statusOf = ({ statusCode = 502, headers }: IncomingMessage) => ({ status: statusCode, headers });

  return {
    send: (wanted) =>
      explained(wanted, async () => {
        const response = await sent(wanted);
        return { ...statusOf(response), body: Buffer.from((await readBounded(response, bounds)).buffer) };
      }),
    open: async (wanted) => {
      const response = await explained(wanted, () => sent({ ...wanted, isLong: true }));
      return { ...statusOf(response), body: bodyOf(wanted, response) };
    },
    close: transport.close,
  };
};
