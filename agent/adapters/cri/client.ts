/** Speaks to a container runtime over gRPC. The library is loaded with the first client: an agent of processes does without. */
import type { ChannelOptions, Client, Metadata, ServiceError } from '@grpc/grpc-js';
import {
  type Call,
  CONTAINER_EVENTS,
  IMAGE_SERVICE,
  RUNTIME_SERVICE,
} from '../../rules/cri/messages/services.ts';
import { decode } from '../../rules/cri/wire/decode.ts';
import type { Description, Draft, Message } from '../../rules/cri/wire/describe.ts';
import { encode } from '../../rules/cri/wire/encode.ts';
import { CriError } from './cri-error.ts';

export interface CallOptions {
  /** Milliseconds after which the call fails as `DeadlineExceeded`; default: that of the client. */
  readonly timeoutMs?: number;
  /** Ends the call, which then fails as `Canceled`. */
  readonly signal?: AbortSignal;
}

type Calls<T> = {
  readonly [K in keyof T]: T[K] extends Call<infer A, infer B>
    ? (request: Draft<A>, options?: CallOptions) => Promise<Message<B>>
    : never;
};

export type ContainerEvent = Message<typeof CONTAINER_EVENTS.response>;

/** All calls reject with a `CriError`. */
export interface CriClient {
  readonly runtime: Calls<typeof RUNTIME_SERVICE>;
  readonly images: Calls<typeof IMAGE_SERVICE>;
  /** Resolves when the runtime ends the stream or `signal` aborts, and rejects when it cannot be had. */
  events(onEvent: (event: ContainerEvent) => void, signal: AbortSignal): Promise<void>;
  close(): void;
}

export interface CriClientOptions {
  /** Such as `unix:///run/containerd/containerd.sock`. */
  readonly endpoint: string;
  /** Another one for images; default: the same. */
  readonly imageEndpoint?: string;
  /** Of calls that say nothing else (ms). Kubelet: `runtimeRequestTimeout`. */
  readonly timeoutMs: number;
}

/** Source: kubernetes v1.34 cri-client `maxMsgSize`. */
const LARGEST_MESSAGE = 16 * 1024 * 1024;

/** Source of the pauses: kubernetes v1.34 cri-client `remote_runtime.go`. */
const CHANNEL: ChannelOptions = {
  'grpc.max_receive_message_length': LARGEST_MESSAGE,
  'grpc.max_send_message_length': LARGEST_MESSAGE,
  'grpc.initial_reconnect_backoff_ms': 100,
  'grpc.min_reconnect_backoff_ms': 100,
  'grpc.max_reconnect_backoff_ms': 3_000,
  'grpc.enable_retries': 0,
  'grpc.service_config_disable_resolution': 1,
};

const CANCELLED = 1;
const INTERNAL = 13;

const faultOf = (error: Partial<ServiceError>): CriError =>
  new CriError(error.code ?? INTERNAL, error.details ?? error.message ?? 'no reason');

const pathOf = (service: string, name: string): string =>
  `/runtime.v1.${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`;

interface Connection {
  readonly client: Client;
  readonly metadata: () => Metadata;
  readonly timeoutMs: number;
}

const ask = <A extends Description, B extends Description>(
  { client, metadata, timeoutMs }: Connection,
  path: string,
  { request, response }: Call<A, B>,
): ((draft: Draft<A>, options?: CallOptions) => Promise<Message<B>>) => {
  const write = (draft: Draft<A>): Buffer => encode(request, draft);
  const read = (bytes: Buffer): Message<B> => decode(response, bytes);
  return (draft, { timeoutMs: own = timeoutMs, signal } = {}) =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(new CriError(CANCELLED, 'context canceled'));
      const cancel = (): void => call.cancel();
      const done = (error: ServiceError | null, answer?: Message<B>): void => {
        signal?.removeEventListener('abort', cancel);
        if (error || !answer) reject(faultOf(error ?? {}));
        else resolve(answer);
      };
      const deadline = Date.now() + own;
      const call = client.makeUnaryRequest(path, write, read, draft, metadata(), { deadline }, done);
      signal?.addEventListener('abort', cancel);
    });
};

const callsOf = <T extends Readonly<Record<string, Call<Description, Description>>>>(
  connection: Connection,
  service: string,
  table: T,
): Calls<T> =>
  Object.fromEntries(
    Object.entries(table).map(([name, call]) => [name, ask(connection, pathOf(service, name), call)]),
  ) as Calls<T>;

const follow = (
  { client, metadata }: Connection,
  onEvent: (event: ContainerEvent) => void,
  signal: AbortSignal,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const { path, request, response } = CONTAINER_EVENTS;
    const stream = client.makeServerStreamRequest(
      path,
      (draft: object) => encode(request, draft),
      (bytes: Buffer) => decode(response, bytes),
      {},
      metadata(),
    );
    const cancel = (): void => stream.cancel();
    const settle = (end: () => void): void => {
      signal.removeEventListener('abort', cancel);
      end();
    };
    stream.on('data', onEvent);
    stream.on('end', () => settle(resolve));
    stream.on('error', (error: ServiceError) =>
      settle(() => (signal.aborted ? resolve() : reject(faultOf(error)))),
    );
    if (signal.aborted) cancel();
    else signal.addEventListener('abort', cancel);
  });

/** Connects with the first call, and again after each loss; nobody has to listen on the endpoint yet. */
export const createCriClient = async (options: CriClientOptions): Promise<CriClient> => {
  const grpc = await import('@grpc/grpc-js');
  const connect = (endpoint: string): Connection => ({
    client: new grpc.Client(endpoint, grpc.credentials.createInsecure(), CHANNEL),
    metadata: () => new grpc.Metadata(),
    timeoutMs: options.timeoutMs,
  });
  const { endpoint, imageEndpoint = endpoint } = options;
  const runtime = connect(endpoint);
  const images = imageEndpoint === endpoint ? runtime : connect(imageEndpoint);
  return {
    runtime: callsOf(runtime, 'RuntimeService', RUNTIME_SERVICE),
    images: callsOf(images, 'ImageService', IMAGE_SERVICE),
    events: (onEvent, signal) => follow(runtime, onEvent, signal),
    close: () => {
      runtime.client.close();
      if (images !== runtime) images.client.close();
    },
  };
};
