/** A server of the CRI that answers as a test says: it hangs, fails, or is another runtime than containerd. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  type handleUnaryCall,
  Server,
  ServerCredentials,
  type ServerWritableStream,
  type UntypedHandleCall,
} from '@grpc/grpc-js';
import {
  type Call,
  CONTAINER_EVENTS,
  IMAGE_SERVICE,
  RUNTIME_SERVICE,
} from '../../../agent/rules/cri/messages/services.ts';
import { decode } from '../../../agent/rules/cri/wire/decode.ts';
import type { Description, Draft, Message } from '../../../agent/rules/cri/wire/describe.ts';
import { encode } from '../../../agent/rules/cri/wire/encode.ts';

type Answers<T> = {
  -readonly [K in keyof T]?: T[K] extends Call<infer A, infer B>
    ? (request: Message<A>) => Draft<B> | Promise<Draft<B>>
    : never;
};

/** What a call is answered with instead: gRPC's code, and the words. */
export class Refusal extends Error {
  readonly code: number;

  constructor(code: number, details: string) {
    super(details);
    this.code = code;
  }
}

/** An answer that never comes. */
export const never = <T>(): Promise<T> => new Promise(() => undefined);

export interface FakeCri {
  readonly endpoint: string;
  /** Calls without an answer here are not implemented. */
  readonly answers: Answers<typeof RUNTIME_SERVICE> & Answers<typeof IMAGE_SERVICE>;
  /** Names of the calls, in their order. */
  readonly calls: string[];
  /** Sends an event to all who follow. */
  event(event: Draft<typeof CONTAINER_EVENTS.response>): void;
  /** Whether events are told. */
  hasEvents: boolean;
  close(): void;
}

const UNKNOWN = 2;
const UNIMPLEMENTED = 12;
const LARGEST_MESSAGE = 64 * 1024 * 1024;

type Answer = (request: unknown) => unknown;

/** On a socket of its own. */
export const startFakeCri = async (): Promise<FakeCri> => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-fake-cri-'));
  const endpoint = `unix://${folder}/c.sock`;
  const server = new Server({
    'grpc.max_send_message_length': LARGEST_MESSAGE,
    'grpc.max_receive_message_length': LARGEST_MESSAGE,
  });
  const followers = new Set<ServerWritableStream<unknown, Draft<typeof CONTAINER_EVENTS.response>>>();
  const fake: FakeCri = {
    endpoint,
    answers: {},
    calls: [],
    hasEvents: false,
    event: (event) => {
      for (const stream of followers) stream.write(event);
    },
    close: () => {
      server.forceShutdown();
      rmSync(folder, { recursive: true, force: true });
    },
  };
  const method = (
    path: string,
    { request, response }: Call<Description, Description>,
    isStream: boolean,
  ) => ({
    path,
    requestStream: false,
    responseStream: isStream,
    requestSerialize: (draft: object) => encode(request, draft),
    requestDeserialize: (bytes: Buffer) => decode(request, bytes),
    responseSerialize: (draft: object) => encode(response, draft),
    responseDeserialize: (bytes: Buffer) => decode(response, bytes),
  });
  const unary =
    (name: string): handleUnaryCall<unknown, unknown> =>
    async (call, done) => {
      fake.calls.push(name);
      const answer = (fake.answers as Readonly<Record<string, Answer | undefined>>)[name];
      try {
        if (!answer) throw new Refusal(UNIMPLEMENTED, `unknown method ${name}`);
        done(null, await answer(call.request));
      } catch (error) {
        done({
          code: error instanceof Refusal ? error.code : UNKNOWN,
          details: error instanceof Error ? error.message : '',
        });
      }
    };
  const serve = (service: string, table: Readonly<Record<string, Call<Description, Description>>>): void => {
    const names = Object.keys(table);
    const path = (name: string): string =>
      `/runtime.v1.${service}/${name.charAt(0).toUpperCase()}${name.slice(1)}`;
    const methods = names.map((name) => [
      name,
      method(path(name), table[name] as Call<Description, Description>, false),
    ]);
    server.addService(
      Object.fromEntries(methods),
      Object.fromEntries(names.map((name): [string, UntypedHandleCall] => [name, unary(name)])),
    );
  };
  serve('RuntimeService', RUNTIME_SERVICE);
  serve('ImageService', IMAGE_SERVICE);
  server.addService(
    { events: method(CONTAINER_EVENTS.path, CONTAINER_EVENTS, true) },
    {
      events: (stream: ServerWritableStream<unknown, Draft<typeof CONTAINER_EVENTS.response>>) => {
        fake.calls.push('events');
        if (!fake.hasEvents) stream.emit('error', { code: UNIMPLEMENTED, details: 'no events' });
        else followers.add(stream);
      },
    },
  );
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.bindAsync(endpoint, ServerCredentials.createInsecure(), (error) =>
    error ? reject(error) : resolve(),
  );
  await promise;
  return fake;
};
