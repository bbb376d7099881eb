import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { keptPort } from '../../../../dashboard/server/kept-port.ts';

const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-port-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return folder;
};

const takenPort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
};

const freePort = async (): Promise<number> => {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
};

describe('the port of the last dashboard', () => {
  it('is found again, for each API its own', async () => {
    const folder = join(newFolder(), 'dashboard');
    const port = await freePort();
    expect(await keptPort(folder, 'https://a').find()).toBe(0);
    keptPort(folder, 'https://a').keep(port, false);
    expect(await keptPort(folder, 'https://a').find()).toBe(port);
    expect(await keptPort(folder, 'https://b').find()).toBe(0);
  });

  it('stays stored while another program has it, unless the user asks for another one', async () => {
    const folder = newFolder();
    const kept = keptPort(folder, 'https://a');
    const [taken, free] = [await takenPort(), await freePort()];
    kept.keep(taken, true);
    expect(await kept.find()).toBe(0);
    kept.keep(free, false);
    expect(await kept.find()).toBe(0);
    kept.keep(free, true);
    expect(await kept.find()).toBe(free);
  });

  it.each(['{', '[]', '{"https://a":"x"}', '{"https://a":70000}', 'null'])(
    'is none in a file with %s',
    async (text) => {
      const folder = newFolder();
      writeFileSync(join(folder, 'ports.json'), text);
      expect(await keptPort(folder, 'https://a').find()).toBe(0);
    },
  );
});
