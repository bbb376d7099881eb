/** `examples/beat.sh` with a real shell and a real curl: its settings in a folder of its own, and hooks that write down how they were called. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { eventually } from '../clocks/eventually.ts';

type Variables = Readonly<Record<string, string>>;

export interface Turn {
  readonly code: number;
  /** What it wrote to standard error. */
  readonly said: string;
}

export interface BeatScript {
  readonly folder: string;
  /** What outlives a turn. */
  readonly state: string;
  /** Calls of hooks, such as `on-cordon m1`. */
  calls(): readonly string[];
  /** Adds a hook, which goes on with `rest` after it has written down its call. */
  hook(name: string, rest?: string): void;
  /** Writes the file with the bootstrap token. */
  giveToken(token: string): void;
  /** One turn. `env` wins over the settings. */
  turn(env?: Variables): Promise<Turn>;
  /** Turns until it is so. */
  until(what: string, withinMs: number, isSo: () => boolean | Promise<boolean>): Promise<boolean>;
  remove(): void;
}

/** `settings` are variables of its environment, such as ROLLCALL_API. */
export const prepareBeatScript = (settings: () => Variables): BeatScript => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-beat-'));
  const [state, hooks, called] = ['state', 'hooks', 'called'].map((name) => join(folder, name)) as [
    string,
    string,
    string,
  ];
  mkdirSync(hooks);
  const turn = async (env: Variables = {}): Promise<Turn> => {
    const child = spawn('sh', [resolve('examples/beat.sh')], {
      stdio: ['ignore', 'ignore', 'pipe'],
      env: {
        PATH: process.env['PATH'],
        ROLLCALL_BOOTSTRAP_TOKEN: join(folder, 'bootstrap'),
        ROLLCALL_STATE: state,
        ROLLCALL_HOOKS: hooks,
        ...settings(),
        ...env,
      },
    });
    let said = '';
    child.stderr.on('data', (chunk: Buffer) => {
      said += chunk.toString();
    });
    const [code] = await once(child, 'exit');
    return { code: code as number, said };
  };
  return {
    folder,
    state,
    turn,
    calls: () => (existsSync(called) ? readFileSync(called, 'utf8').trim().split('\n') : []),
    hook: (name, rest = '') => {
      const path = join(hooks, name);
      writeFileSync(path, `#!/bin/sh\necho ${name} "$@" >>${called}\n${rest}\n`);
      chmodSync(path, 0o755);
    },
    giveToken: (token) => writeFileSync(join(folder, 'bootstrap'), token),
    until: (what, withinMs, isSo) => {
      let last: Turn | undefined;
      const look = async (): Promise<boolean> => {
        last = await turn();
        return isSo();
      };
      return eventually(what, withinMs, look, { seen: () => last });
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
