/** Clients that go away while the server of the agent judges their request. */
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { connect } from 'node:tls';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { servingCertificate } from '../../../../agent/adapters/serving-certificate.ts';
import { startNodeServer } from '../../../../agent/server/node-server.ts';

const folder = mkdtempSync(join(tmpdir(), 'rollcall-gone-'));
let pem: string;
beforeAll(async () => {
  pem = (await servingCertificate(folder, 'm1', Date.now())).pem;
});
afterAll(() => rmSync(folder, { recursive: true }));

it('no session begins for a client that has gone', async () => {
  const [asked, judged] = [Promise.withResolvers<void>(), Promise.withResolvers<undefined>()];
  let sessions = 0;
  const server = await startNodeServer({
    address: '127.0.0.1',
    port: 0,
    pem,
    idleMs: 60_000,
    log: () => {},
    check: async ({ path }) => {
      if (path.startsWith('/attach')) return undefined;
      asked.resolve();
      return judged.promise;
    },
    handlers: {
      pages: {},
      logs: () => Promise.reject(new Error('none is asked for')),
      upgrade: async ({ socket, path }) => {
        sessions += path.kind === 'exec' ? 1 : 0;
        socket.end();
      },
    },
  });
  const open = (path: string) => {
    const client = connect({ host: '127.0.0.1', port: server.port, rejectUnauthorized: false });
    client.write(`GET ${path} HTTP/1.1\r\nHost: m1\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n\r\n`);
    return client.resume();
  };
  const gone = open('/exec/d/p/c');
  await asked.promise;
  gone.destroy();
  // The server has seen the end of the first client before that of one that comes later.
  await once(open('/attach/d/p/c'), 'end');
  judged.resolve(undefined);
  await new Promise((resolve) => {
    setImmediate(resolve);
  });
  expect(sessions).toBe(0);
  server.close();
});
