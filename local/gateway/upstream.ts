/** The API that a gateway forwards to. */
import type { IncomingMessage } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { createTransport, isReading, type SentRequest } from '../../shared/client/transport.ts';
import { platformRefusal, problemOf } from './upstream-problem.ts';

export type UpstreamRequest = Omit<SentRequest, 'isLong'>;

export interface UpstreamResponse {
  readonly status: number;
  readonly headers: IncomingMessage['headers'];
  readonly body: Uint8Array;
}

/** A response whose body is still to come; reading it throws what `send` throws. */
export interface OpenResponse extends Omit<UpstreamResponse, 'body'> {
  readonly body: AsyncIterable<Uint8Array>;
}

export interface Upstream {
  /**
   * Throws a `StatusError`: 503 while the API is unreachable, 504 if the answer takes too long, 500 if it is unknown whether a
   * change was made. Rethrows the reason of an abort.
   */
  send(request: UpstreamRequest): Promise<UpstreamResponse>;
  /** The same for long, streamed answers, which do not block other requests. */
  open(request: UpstreamRequest): Promise<OpenResponse>;
  close(): void;
}

export interface UpstreamOptions {
  /** With a path, that one comes before those of requests. */
  readonly url: URL;
  /** PEM, where the API's certificate is signed by an authority of its own. */
  readonly ca?: string;
  /** Milliseconds without a byte after which an answer is given up: longer than any poll lasts. */
  readonly timeoutMs: number;
  /** Connections at the same time, those of open answers aside. */
  readonly maxSockets: number;
}

export const createUpstream = (options: UpstreamOptions): Upstream => {
  const transport = createTransport(options);

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
        return { ...statusOf(response), body: await buffer(response) };
      }),
    open: async (wanted) => {
      const response = await explained(wanted, () => sent({ ...wanted, isLong: true }));
      return { ...statusOf(response), body: bodyOf(wanted, response) };
    },
    close: transport.close,
  };
};
