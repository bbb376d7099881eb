/** Calls `grpc.health.v1.Health/Check` of a container, over HTTP/2 without TLS. */
import { type ClientHttp2Stream, connect, type IncomingHttpHeaders } from 'node:http2';
import { addAbortSignal } from 'node:stream';
import { NEIGHBOUR } from '../../../shared/kube/json/answer-bounds.ts';
import { readBounded } from '../../../shared/kube/json/bounded-answer.ts';
import { type GrpcEnd, healthRequest, judgedGrpc } from '../../rules/probes/grpc-health.ts';
import type { Judged } from '../../rules/probes/http-answer.ts';
import { connectText } from './connect-text.ts';

const PATH = '/grpc.health.v1.Health/Check';
const UNKNOWN = 2;

interface Called {
  readonly frame: Uint8Array;
  readonly end: GrpcEnd;
}

/** A call that fails at once has its status in the headers, any other in the trailers. */
const called = async (stream: ClientHttp2Stream, signal: AbortSignal): Promise<Called> => {
  const ends: IncomingHttpHeaders = {};
  const keep = (headers: IncomingHttpHeaders): unknown => Object.assign(ends, headers);
  stream.on('response', keep);
  stream.on('trailers', keep);
  const frame = await readBounded(addAbortSignal(signal, stream), { bytes: NEIGHBOUR.bytes });
  const message = decodeURIComponent(String(ends['grpc-message'] ?? ''));
  const code = Number(ends['grpc-status'] ?? UNKNOWN);
  return { frame, end: { code, message } };
};

/** A stream ends with its session, for whose reason. */
const causeOf = (error: unknown): unknown => (error instanceof Error ? (error.cause ?? error) : error);

/** The container's answer. No answer is a failure. */
export const grpcCheck = async (
  host: string,
  port: number,
  service: string,
  { timeoutMs, userAgent }: { readonly timeoutMs: number; readonly userAgent: string },
): Promise<Judged> => {
  const address = `${host.includes(':') ? `[${host}]` : host}:${port}`;
  const session = connect(`http://${address}`);
  const signal = AbortSignal.timeout(timeoutMs);
  const failed = Promise.withResolvers<never>();
  session.on('error', failed.reject);
  try {
    const stream = session.request({
      ':method': 'POST',
      ':path': PATH,
      te: 'trailers',
      'content-type': 'application/grpc',
      'user-agent': userAgent,
    });
    stream.on('error', failed.reject);
    stream.end(healthRequest(service));
    const { frame, end } = await Promise.race([called(stream, signal), failed.promise]);
    return judgedGrpc(frame, end);
  } catch (error) {
    const seconds = `${timeoutMs / 1000}s`;
    const output = signal.aborted
      ? `timeout: failed to connect service "${address}" within ${seconds}: context deadline exceeded`
      : `error: failed to connect service at "${address}": ${connectText(causeOf(error), address)}`;
    return { kind: 'failure', output };
  } finally {
    failed.promise.catch(() => undefined);
    session.destroy();
  }
};
