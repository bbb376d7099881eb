import { createConnection } from 'node:net';
import { networkInterfaces } from 'node:os';
import { describe, expect, it } from 'vitest';

const { AWS_ENDPOINT_URL: endpoint = '', ROLLCALL_LOCALSTACK_MARK: mark = '' } = process.env;
const port = Number(new URL(endpoint).port);

/** All addresses of this machine but the one at which LocalStack may be reached. `127.0.0.2` is refused only by a listener of one address. */
const others = (): readonly string[] => {
  const own = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ address, scopeid }) => (scopeid ? `${address}%${scopeid}` : address)),
  );
  return ['127.0.0.2', ...own.filter((address) => address !== '127.0.0.1')];
};

const codeOf = (error: NodeJS.ErrnoException): string => error.code ?? error.message;

/** `connected`, or the code of the error. */
const reaching = (host: string): Promise<string> =>
  new Promise((resolve) => {
    const socket = createConnection({ host, port });
    socket.once('error', (error) => resolve(codeOf(error)));
    socket.once('connect', () => resolve('connected')).once('connect', () => socket.destroy());
  });

// Whoever reaches LocalStack can run code on this machine. An instance that was started elsewhere is not ours to judge.
describe.runIf(mark !== '')('LocalStack', () => {
  it('listens on 127.0.0.1', async () => expect(await reaching('127.0.0.1')).toBe('connected'));

  it.each(others())('is out of reach at %s', async (address) =>
    expect(await reaching(address)).toBe('ECONNREFUSED'),
  );
});
