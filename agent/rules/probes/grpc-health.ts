/** Messages of `grpc.health.v1`, as bytes. Source: grpc `health.proto`, gRPC over HTTP/2. */
import type { Judged } from './http-answer.ts';

const STATUS_NAMES = ['UNKNOWN', 'SERVING', 'NOT_SERVING', 'SERVICE_UNKNOWN'] as const;
const UNIMPLEMENTED = 12;
/** Of a frame: a byte that says whether it is compressed, and the length of the message. */
const PREFIX_BYTES = 5;
/** Field 1, as bytes. */
const SERVICE_TAG = 0x0a;
/** Field 1, as a number. */
const STATUS_TAG = 0x08;

const varint = (value: number): readonly number[] =>
  value < 0x80 ? [value] : [(value % 0x80) + 0x80, ...varint(Math.trunc(value / 0x80))];

/** The frame with a `HealthCheckRequest`. */
export const healthRequest = (service: string): Uint8Array => {
  const name = new TextEncoder().encode(service);
  const message = name.length === 0 ? [] : [SERVICE_TAG, ...varint(name.length), ...name];
  const frame = new Uint8Array(PREFIX_BYTES + message.length);
  new DataView(frame.buffer).setUint32(1, message.length);
  frame.set(message, PREFIX_BYTES);
  return frame;
};

/** The status in a frame with a `HealthCheckResponse`; 0 if it has none. */
const statusIn = (frame: Uint8Array): number =>
  frame[PREFIX_BYTES] === STATUS_TAG ? (frame[PREFIX_BYTES + 1] ?? 0) : 0;

/** What the end of the call says: `grpc-status` and `grpc-message`. */
export interface GrpcEnd {
  readonly code: number;
  readonly message: string;
}

/** Source: kubernetes v1.34 pkg/probe/grpc. */
export const judgedGrpc = (frame: Uint8Array, { code, message }: GrpcEnd): Judged => {
  if (code === UNIMPLEMENTED)
    return {
      kind: 'failure',
      output: `error: this server does not implement the grpc health protocol (grpc.health.v1.Health): ${message}`,
    };
  if (code !== 0) return { kind: 'failure', output: `error: health rpc probe failed: ${message}` };
  const status = statusIn(frame);
  return status === STATUS_NAMES.indexOf('SERVING')
    ? { kind: 'success', output: 'service healthy' }
    : { kind: 'failure', output: `service unhealthy (responded with "${STATUS_NAMES[status] ?? status}")` };
};
