/** `rollcall doctor` on a real host, on which things are broken on purpose. */
import { execFileSync } from 'node:child_process';
import { chmodSync, copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createAuthority, issueServerCertificate } from '../../../shared/serving/http/certificates.ts';
import { kubeconfigOf } from '../../../shared/serving/machine/kubeconfig.ts';
import { type HostProcess, rollcall, runBy, startHostProcess } from '../../support/servers/host-process.ts';

const root = mkdtempSync(join(tmpdir(), 'rollcall-doctor-'));
const folder = join(root, 'host');
const file = (name: string): string => join(folder, name);
const DAY_MS = 86_400_000;
let host: HostProcess;

beforeAll(async () => {
  host = await startHostProcess(folder);
});

afterAll(async () => {
  await host.stop();
  rmSync(root, { recursive: true, force: true });
});

interface Check {
  readonly check: string;
  readonly status: string;
  readonly words: string;
}

/** kubectl is another matter: machines have any. */
const examined = async (...args: readonly string[]) => {
  const { code, output } = await rollcall('doctor', '-o', 'json', ...args);
  const { checks } = JSON.parse(output) as { readonly checks: readonly Check[] };
  const wrong = checks.filter(
    ({ check, status }) => status !== 'ok' && check !== 'kubectl' && check !== 'disk',
  );
  return { code, output, wrong: wrong.map(({ check, status, words }) => `${status} ${check}: ${words}`) };
};

/** Runs the doctor while a file has another content, and puts back what was there. */
const withFile = async (name: string, text: string, mode = 0o600) => {
  const [path, copy] = [file(name), join(root, 'copy')];
  copyFileSync(path, copy);
  writeFileSync(path, text);
  chmodSync(path, mode);
  try {
    return await examined('--folder', folder);
  } finally {
    writeFileSync(path, readFileSync(copy));
    chmodSync(path, 0o600);
  }
};

describe('rollcall doctor', () => {
  it('finds a host well, in text and JSON, and prints no secret', async () => {
    expect((await examined('--folder', folder)).wrong).toEqual([]);
    const { output } = await rollcall('doctor', '--folder', folder, '--agent');
    expect(output).toMatch(/^✓ ok +server +https:\/\/127\.0\.0\.1:\d+ answers, v1\.34/m);
    expect(output).toMatch(/^✓ ok +access +all that the commands need/m);
    expect(output).toMatch(/^. \w+ +cgroups/m);
    for (const name of ['admin.token', 'signing-key.json'])
      for (const word of readFileSync(file(name), 'utf8').match(/[\w-]{24,}/g) ?? [])
        expect(output).not.toContain(word);
  });

  it('names a key that others may read', async () => {
    const { wrong, code } = await withFile('ca.key', readFileSync(file('ca.key'), 'utf8'), 0o644);
    expect([code, wrong]).toEqual([2, [expect.stringMatching(/^fail secrets: .*ca\.key has mode 0644/)]]);
  });

  it('names a wrong token', async () => {
    const { wrong, code } = await withFile('admin.token', 'no.such.token');
    expect([code, wrong]).toEqual([2, ['fail access: the token is refused']]);
  });

  it('names a wrong authority, at the certificate and at the server', async () => {
    const { certificate } = await createAuthority(Date.now());
    expect((await withFile('ca.crt', certificate)).wrong).toEqual([
      'fail certificate: server.crt was not signed by ca.crt',
      expect.stringMatching(/^fail server: .*not signed by the authority that is known here/),
    ]);
  });

  it('names an expired certificate, and a damaged one', async () => {
    const authority = {
      certificate: readFileSync(file('ca.crt'), 'utf8'),
      key: readFileSync(file('ca.key'), 'utf8'),
    };
    const old = await issueServerCertificate(authority, ['127.0.0.1'], Date.now() - 1_000 * DAY_MS);
    expect((await withFile('server.crt', old.certificate)).wrong).toEqual([
      expect.stringMatching(/^fail certificate: server\.crt has expired on 20/),
    ]);
    expect((await withFile('server.crt', 'no certificate')).wrong).toEqual([
      'fail certificate: server.crt is damaged',
    ]);
  });

  it('names a record and a key that are damaged, and what a kubeconfig lacks', async () => {
    expect((await withFile('host.json', '{')).wrong).toEqual(['fail files: host.json is damaged']);
    expect((await withFile('signing-key.json', '{}')).wrong).toEqual([
      'fail files: signing-key.json is damaged',
    ]);
    const launch = (path: string) => ({
      command: [process.execPath, 'cli/rollcall.js', 'doctor'] as [string, ...string[]],
      env: { ...process.env, KUBECONFIG: path },
    });
    const { output } = await runBy(launch(file('kubeconfig')), '--context', 'other');
    expect(output).toMatch(/has no context other; give --context with one of its own: \S+/);
  });

  it('takes no other process for a host that was killed', async () => {
    const record = JSON.parse(readFileSync(file('host.json'), 'utf8'));
    const { wrong } = await withFile('host.json', JSON.stringify({ ...record, pid: process.pid }));
    expect(wrong).toEqual([expect.stringMatching(/^fail port: no host runs, and .* has port/)]);
  });

  it('names a clock that is one hour off, a server that is down, and one that has another name', async () => {
    const other = createServer((_, response) => {
      response.sendDate = false;
      response.setHeader('date', new Date(Date.now() - 3_600_000).toUTCString());
      response.end('{}');
    });
    await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
    const { port } = other.address() as { readonly port: number };
    const kubeconfig = join(root, 'kubeconfig');
    const parts = { ca: '', token: 'secret-token', clusterId: 'c', user: 'u' };
    const launch = {
      command: [process.execPath, 'cli/rollcall.js', 'doctor', '-o', 'json'] as const,
      env: { ...process.env, KUBECONFIG: kubeconfig },
    };
    const ask = async (server: string): Promise<string> => {
      writeFileSync(kubeconfig, kubeconfigOf({ ...parts, server }), { mode: 0o600 });
      const context = /current-context: (\S+)/.exec(readFileSync(kubeconfig, 'utf8'))?.[1] ?? '';
      const { output } = await runBy(
        { ...launch, command: [...launch.command] },
        '--context',
        context.replaceAll('"', ''),
      );
      expect(output).not.toContain('secret-token');
      return output;
    };
    expect(await ask(`http://127.0.0.1:${port}`)).toMatch(/is 3[56]\d\d s ahead of that of the server/);
    await new Promise((resolve) => other.close(resolve));
    expect(await ask(`http://127.0.0.1:${port}`)).toContain('nothing listens there');
    expect(await ask('https://no-such-name.invalid')).toMatch(
      /the name is not known|does not answer in time/,
    );
  });

  it('names who has the port of a host that is stopped', async () => {
    const stopped = join(root, 'stopped');
    const one = await startHostProcess(stopped);
    const port = Number(new URL(one.url).port);
    await one.stop();
    const taker = createServer();
    await new Promise<void>((resolve) => taker.listen(port, '127.0.0.1', resolve));
    const { wrong } = await examined('--folder', stopped);
    await new Promise((resolve) => taker.close(resolve));
    expect(wrong).toEqual([
      expect.stringMatching(
        new RegExp(`^fail port: no host runs, and .*\\(process ${process.pid}\\) has port ${port}`),
      ),
    ]);
    expect((await examined('--folder', stopped)).wrong).toEqual([
      `warn port: no host runs; port ${port} is free`,
    ]);
  });

  // Root may write anywhere, and may mount: what is read-only, or full, is a file system of its own.
  it.runIf(process.getuid?.() === 0)('names a read-only folder and a full one', async () => {
    const sharing = ['unshare', '--mount', '--propagation', 'private', 'sh', '-c'] as const;
    const small = join(root, 'small');
    const run = (mount: string) => {
      const doctor = `'${process.execPath}' cli/rollcall.js doctor --folder '${small}'`;
      const script = `mkdir -p '${small}' && ${mount} && { ${doctor}; true; }`;
      return execFileSync(sharing[0], [...sharing.slice(1), script], { encoding: 'utf8' });
    };
    expect(run(`mount -t tmpfs -o ro none '${small}'`)).toMatch(/FAIL +folder +.*read-only file system/);
    expect(run(`mount -t tmpfs -o size=1m none '${small}'`)).toMatch(/FAIL +disk +is full/);
    expect(run(`mount -t tmpfs -o size=2g,nr_inodes=10 none '${small}'`)).toMatch(
      /FAIL +disk +has \d+ free inodes/,
    );
  });
});
