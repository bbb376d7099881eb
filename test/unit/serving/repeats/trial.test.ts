import type { IncomingMessage } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { TLSSocket } from 'node:tls';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type CertifiedKey,
  createAuthority,
  issueServerCertificate,
} from '../../../../shared/serving/http/certificates.ts';
import { faultOf } from '../../../../shared/serving/repeats/trial.ts';

let tls: CertifiedKey;
let server: Server;

beforeAll(async () => {
  tls = await issueServerCertificate(await createAuthority(Date.now()), ['127.0.0.1'], Date.now());
});

beforeEach(() => {
  server = createServer({ cert: tls.certificate, key: tls.key });
});

type Parse = (chunk: Buffer) => void;

/** Another Node: `read` gets the chunks of each connection in the place of its own parser. */
const reading = (read: (parse: Parse, chunk: Buffer, socket: TLSSocket) => void): void => {
  server.on('secureConnection', (socket) => {
    const [parse] = socket.listeners('data') as Parse[];
    socket.removeAllListeners('data');
    socket.on('data', (chunk: Buffer) => read((bytes) => parse?.call(socket, bytes), chunk, socket));
  });
};

const ENDS = /^a connection ends, or an answer does not come in time$/;

/** Nodes that behave otherwise. */
const OTHERS: readonly (readonly [string, RegExp, () => void])[] = [
  [
    'parses a chunk in a later turn',
    /^a request begins without/,
    () => reading((parse, chunk) => setImmediate(() => parse(chunk))),
  ],
  [
    'keeps the last byte of a chunk until more comes',
    ENDS,
    () => {
      let kept = Buffer.alloc(0);
      reading((parse, chunk) => {
        const all = Buffer.concat([kept, chunk]);
        kept = all.subarray(-1);
        parse(all.subarray(0, -1));
      });
    },
  ],
  [
    'has two readers of each connection',
    /^a connection is not read by one/,
    () => server.on('secureConnection', (one) => one.on('data', () => undefined)),
  ],
  [
    'has no reader that can be found',
    /^a connection is not read by one/,
    () => server.on('secureConnection', (one) => one.removeAllListeners('data')),
  ],
  [
    'does not tell that a request leaves HTTP',
    /^"again two" came instead of "unread/,
    () =>
      server.prependListener('upgrade', (message: IncomingMessage) =>
        Reflect.deleteProperty(message, 'upgrade'),
      ),
  ],
  [
    'ends each connection after an answer',
    ENDS,
    () => server.on('request', (_, response) => response.setHeader('connection', 'close')),
  ],
];

describe('a trial', () => {
  it('finds nothing otherwise with this Node', async () => {
    expect(await faultOf(server)).toBeUndefined();
  });

  it.each(OTHERS)('finds a Node that %s', async (_name, fault, change) => {
    change();
    expect(await faultOf(server, 500)).toMatch(fault);
  });

  it('ends', async () => {
    server.removeAllListeners('connection');
    expect(await faultOf(server, 1)).toMatch(ENDS);
  });
});
