/** A host as its users have it: from the packed files. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type Installed, ownEnvironment } from '../../package/installed.ts';
import { eventually } from '../../support/clocks/eventually.ts';
import { GRACE, type StartControlPlane, whenReady } from './control-plane.ts';

const START_MS = 30_000;

interface HostFile {
  readonly port: number;
  readonly pid: number;
}

export const rollcallFrom =
  (installed: Installed): StartControlPlane =>
  async (servers) => {
    const program = join(installed.folder, 'node_modules', '.bin', 'rollcall');
    const state = join(servers.folder, 'state');
    const options = ['--folder', state, '--listen', '127.0.0.1:0', ...GRACE];
    servers.start('host', [program, 'serve', ...options], ownEnvironment());
    const read = (name: string): string => readFileSync(join(state, name), 'utf8').trim();
    const look = async (): Promise<HostFile> => JSON.parse(read('host.json')) as HostFile;
    const { port, pid } = await eventually('a host', START_MS, look);
    const target = { port, ca: read('ca.crt'), token: read('admin.token') };
    await whenReady(target);
    return { target, pids: [pid] };
  };
