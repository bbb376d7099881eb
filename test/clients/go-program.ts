/** The program in `client-go`: built with the machine's Go, asked over its standard input. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';

const SOURCE = resolve(import.meta.dirname, 'client-go');

export interface ObjectOf {
  readonly metadata: { readonly name: string; readonly namespace?: string };
}

/** What the informers hold. */
export interface Store {
  readonly objects: Readonly<Record<string, readonly ObjectOf[]>>;
  /** Objects of which the events told something else than the store. */
  readonly drifted: readonly string[];
  readonly errors: readonly string[] | null;
  /** By verb and resource, such as `WATCHLIST nodes`, and by method and content type. */
  readonly requests: Readonly<Record<string, number>>;
}

export interface GoProgram {
  ask<T>(command: 'store' | 'writes'): Promise<T>;
  stop(): Promise<void>;
}

/** From this version on Go fetches the toolchain that a module asks for. */
const OLDEST_GO = 21;

export const hasGo = (): boolean => {
  const { status, stdout } = spawnSync('go', ['env', 'GOVERSION'], { encoding: 'utf8' });
  return status === 0 && Number(/^go1\.(\d+)/.exec(stdout)?.[1] ?? 0) >= OLDEST_GO;
};

/** Builds into `folder` and returns the path. The first time it takes a minute or two, from Go's cache a second. */
export const buildGoProgram = async (folder: string): Promise<string> => {
  const path = join(folder, 'client-go');
  const child = spawn('go', ['build', '-o', path, '.'], { cwd: SOURCE, stdio: ['ignore', 'ignore', 'pipe'] });
  let output = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    output += text;
  });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go build ended with ${String(code)}: ${output}`);
  return path;
};

/** Informers start by a watch that begins with what is there, or by a list, as all of them did before. */
export const startGoProgram = (path: string, kubeconfig: string, withWatchList: boolean): GoProgram => {
  const env = {
    PATH: process.env['PATH'],
    KUBECONFIG: kubeconfig,
    KUBE_FEATURE_WatchListClient: String(withWatchList),
  };
  const child = spawn(path, [], { env, stdio: ['pipe', 'pipe', 'pipe'] });
  let errors = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  const closed = once(child, 'close');
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  return {
    ask: async <T>(command: string) => {
      child.stdin.write(`${command}\n`);
      const { value, done } = await answers.next();
      if (done) throw new Error(`the program ended: ${errors}`);
      return JSON.parse(value) as T;
    },
    stop: async () => {
      child.stdin.end();
      await closed;
    },
  };
};
