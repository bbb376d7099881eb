import { once } from 'node:events';
import type { RequestListener } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import type { TLSSocket } from 'node:tls';
import { afterEach, describe, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../../../../shared/serving/http/certificates.ts';
import { openConnection } from '../../../bench/fleet/connection.ts';

const REQUEST = Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n');

const servers: Server[] = [];

afterEach(() => {
  for (const server of servers.splice(0)) server.close().closeAllConnections();
});

const serve = async (answer: RequestListener) => {
  const ca = await createAuthority(Date.now());
  const { certificate: cert, key } = await issueServerCertificate(ca, ['127.0.0.1'], Date.now());
  const server = createServer({ cert, key }, answer).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return { server, port: (server.address() as AddressInfo).port, ca: ca.certificate };
};

describe('a connection of the bench', () => {
  it('reads an answer with a length, and one in chunks, on one connection', async () => {
    const bodies = ['short', 'x'.repeat(100_000), 'last'].values();
    const sockets = new Set<unknown>();
    const { port, ca } = await serve(({ socket }, response) => {
      sockets.add(socket);
      const body = bodies.next().value ?? '';
      if (body === 'last') response.setHeader('content-length', body.length);
      response.write(body.slice(0, 2));
      response.end(body.slice(2));
    });
    const connection = await openConnection(port, ca);
    expect(await connection.exchange(REQUEST)).toMatch(/sh\r\n3\r\nort\r\n0\r\n\r\n$/);
    expect((await connection.exchange(REQUEST)).length).toBeGreaterThan(100_000);
    expect(await connection.exchange(REQUEST)).toMatch(/\r\n\r\nlast$/);
    expect(sockets.size).toBe(1);
    connection.close();
  });

  it('is opened anew when the server has closed it while nothing was sent', async () => {
    const sockets: TLSSocket[] = [];
    const { server, port, ca } = await serve((_request, response) => response.end('here'));
    server.on('secureConnection', (socket) => sockets.push(socket));
    const connection = await openConnection(port, ca);
    await connection.exchange(REQUEST);
    const [first] = sockets;
    first?.end();
    await once(first as TLSSocket, 'close');
    expect(await connection.exchange(REQUEST)).toMatch(/here/);
    expect(sockets).toHaveLength(2);
    connection.close();
  });

  it('rejects an answer that is an error, and one that is cut off', async () => {
    let isCutOff = false;
    const { port, ca } = await serve(({ socket }, response) => {
      response.statusCode = isCutOff ? 200 : 409;
      response.write('{"reason":"Conflict"}');
      if (isCutOff) socket.destroy();
      else response.end();
    });
    const connection = await openConnection(port, ca);
    await expect(connection.exchange(REQUEST)).rejects.toThrow('Conflict');
    isCutOff = true;
    await expect(connection.exchange(REQUEST)).rejects.toThrow('the connection was closed');
    connection.close();
  });
});
