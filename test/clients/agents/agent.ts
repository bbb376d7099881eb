/** Requests as agents of nodes send them: bodies in any format, and streams to their end. */
import { readFileSync } from 'node:fs';
import { Agent as Connections, request } from 'node:https';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { encodeBody } from '../../support/objects/protobuf-encoder.ts';
import type { Cluster } from '../cluster.ts';

export interface Body {
  readonly type: string;
  readonly bytes: Uint8Array;
}

const encoded = (type: string, value: object): Body => ({ type, bytes: Buffer.from(JSON.stringify(value)) });

export const strategic = (patch: object): Body => encoded('application/strategic-merge-patch+json', patch);
export const jsonPatch = (patch: object): Body => encoded('application/json-patch+json', patch);

const PROTOBUF = 'application/vnd.kubernetes.protobuf';

/** `message` is the name in the schema, such as `core.v1.Node`. */
export const protobuf = (value: { kind: string; apiVersion: string }, message: string): Body => ({
  type: PROTOBUF,
  bytes: encodeBody(value, message),
});

/** A recorded body. */
export const recorded = (hex: string): Body => ({ type: PROTOBUF, bytes: Buffer.from(hex, 'hex') });

/** What tests look at in whatever was answered. */
export interface Answered {
  readonly reason?: string;
  readonly metadata: {
    readonly name?: string;
    readonly uid: string;
    readonly resourceVersion: string;
    readonly deletionTimestamp?: string;
    readonly finalizers?: readonly string[];
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly status?: Readonly<Record<string, unknown>> & {
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
  readonly count?: number;
}

export interface Event {
  readonly type: string;
  readonly object: Answered;
}

export interface Agent {
  send(
    method: string,
    path: string,
    body?: Body,
  ): Promise<{ readonly code: number; readonly json: Answered }>;
  /** All events of a watch that ends by itself. */
  watch(path: string): Promise<{ readonly code: number; readonly events: readonly Event[] }>;
  close(): void;
}

export const createAgent = (cluster: Pick<Cluster, 'url' | 'hostFolder'>, token: string): Agent => {
  const ca = readFileSync(join(cluster.hostFolder, 'ca.crt'));
  const connections = new Connections({ ca, keepAlive: true });
  const exchange = (method: string, path: string, body?: Body): Promise<{ code: number; given: string }> =>
    new Promise((resolve, reject) => {
      const headers = {
        authorization: `Bearer ${token}`,
        accept: `${PROTOBUF}, */*`,
        ...(body ? { 'content-type': body.type, 'content-length': String(body.bytes.byteLength) } : {}),
      };
      const sent = request(
        new URL(path, cluster.url),
        { agent: connections, method, headers },
        (response) => {
          text(response).then((given) => resolve({ code: response.statusCode ?? 0, given }), reject);
        },
      );
      sent.on('error', reject);
      sent.end(body?.bytes);
    });
  return {
    close: () => connections.destroy(),
    send: async (method, path, body) => {
      const { code, given } = await exchange(method, path, body);
      return { code, json: JSON.parse(given) as Answered };
    },
    watch: async (path) => {
      const { code, given } = await exchange('GET', path);
      const lines = given.split('\n').filter((line) => line !== '');
      return { code, events: lines.map((line) => JSON.parse(line) as Event) };
    },
  };
};
