/** The port of the dashboard, which is the same after each start, so that bookmarks go on to work. */
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { readIfThere, writePrivately } from '../../shared/serving/machine/files.ts';

const HOST = '127.0.0.1';

const isPort = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536;

/** Ports by the address of the API. A file that cannot be read counts as none. */
const portsIn = (path: string): Readonly<Record<string, number>> => {
  try {
    const stored: unknown = JSON.parse(readIfThere(path) ?? '{}');
    return Object.fromEntries(Object.entries(stored ?? {}).filter(([, port]) => isPort(port)));
  } catch {
    return {};
  }
};

const isFree = async (port: number): Promise<boolean> => {
  const server = createServer();
  try {
    server.listen(port, HOST);
    await once(server, 'listening');
    return true;
  } catch {
    return false;
  } finally {
    server.close();
  }
};

/** The port of the last start. */
export interface KeptPort {
  /** 0: there was none, or another program has it. */
  find(): Promise<number>;
  /** Stores it for the next start. `isAsked`: in the place of one that is stored, which otherwise stays while another dashboard has it. */
  keep(port: number, isAsked: boolean): void;
}

/** `folder`: where it is stored. `server`: the address of the API, because each has a dashboard of its own. */
export const keptPort = (folder: string, server: string): KeptPort => {
  const path = join(folder, 'ports.json');
  return {
    find: async () => {
      const port = portsIn(path)[server] ?? 0;
      return port !== 0 && (await isFree(port)) ? port : 0;
    },
    keep: (port, isAsked) => {
      const stored = portsIn(path)[server];
      if (stored === port || (stored !== undefined && !isAsked)) return;
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      writePrivately(path, `${JSON.stringify({ ...portsIn(path), [server]: port }, null, 2)}\n`);
    },
  };
};
