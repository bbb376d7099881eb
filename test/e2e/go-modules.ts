/** Go's command, as far as the tests are built with it. */
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { tmpdir } from 'node:os';

/** Runs `go` in `folder`, with `more` variables in its environment. */
export const go = async (
  folder: string,
  args: readonly string[],
  more: NodeJS.ProcessEnv = {},
): Promise<void> => {
  const env = { ...process.env, CGO_ENABLED: '0', GOFLAGS: '-buildvcs=false', ...more };
  const child = spawn('nice', ['go', ...args], { cwd: folder, env, stdio: 'inherit' });
  const [code] = await once(child, 'close');
  if (code !== 0) throw new Error(`go ${args.slice(0, 2).join(' ')} failed (${code})`);
};

/** Where Go keeps a module: the folder of its files, and its `go.mod`. */
interface Downloaded {
  readonly Dir: string;
  readonly GoMod: string;
}

/** Fetches a module, such as `sigs.k8s.io/kwok@v0.8.0`. */
export const download = (module: string): Downloaded => {
  // Not in the checkout: a module around it would have a say.
  const { stdout, stderr, status } = spawnSync('go', ['mod', 'download', '-json', module], {
    cwd: tmpdir(),
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${module} cannot be downloaded: ${stderr}${stdout}`);
  return JSON.parse(stdout) as Downloaded;
};
