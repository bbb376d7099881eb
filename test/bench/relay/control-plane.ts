/** A process that a relay sends its batches to: it accepts every token and every batch. Sends what it has counted when it is asked. */
import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { leaseOf } from './machines.ts';

/** Counted since the last question. */
export interface Counted {
  readonly batches: number;
  readonly bytes: number;
  /** Requests that the relay has let through. */
  readonly through: number;
}

interface Batch {
  readonly sequence: number;
  readonly workChanges?: number;
}

const NONE: Counted = { batches: 0, bytes: 0, through: 0 };
let counted = NONE;

const receipt = (body: Buffer): object => {
  const { sequence, workChanges } = JSON.parse(body.toString()) as Batch;
  counted = { ...counted, batches: counted.batches + 1, bytes: counted.bytes + body.byteLength };
  const work = workChanges === undefined ? { work: {} } : {};
  return { sequence, graceSeconds: 40, nextBatchSeconds: 10, workChanges: 0, ...work };
};

const answer = async (message: IncomingMessage): Promise<object> => {
  const body = await buffer(message);
  const { url = '' } = message;
  if (url.endsWith('/heartbeats')) return receipt(body);
  counted = { ...counted, through: counted.through + 1 };
  const name = url.split('/').at(-1) ?? '';
  return url.includes('/leases/') ? leaseOf(name) : { kind: 'HeartbeatReceipt', workRevision: '0' };
};

const server = createServer((message, response) => {
  void answer(message).then((body) => {
    response.setHeader('content-type', 'application/json').setHeader('rollcall-work-revision', '0');
    response.end(JSON.stringify(body));
  });
});
server.keepAliveTimeout = 90_000;
server.listen(0, '127.0.0.1', () => {
  process.send?.({ port: (server.address() as AddressInfo).port });
});

process.on('message', () => {
  process.send?.(counted);
  counted = NONE;
});
