import { once } from 'node:events';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { rollcall } from '../../support/servers/host-process.ts';

describe('a host that cannot start', () => {
  const folder = mkdtempSync(join(tmpdir(), 'rollcall-host-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  it('names the port that is in use', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const { code, output } = await rollcall(
      'serve',
      '--folder',
      join(folder, 'a'),
      '--listen',
      `127.0.0.1:${port}`,
    );
    other.close();
    expect({ code, output }).toEqual({
      code: 1,
      output: `rollcall serve: 127.0.0.1:${port} is in use by another program: choose another port with --listen, or port 0 for a free one\n`,
    });
  });

  it('names the folder that is not a folder', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    const { code, output } = await rollcall('serve', '--folder', join(file, 'b'));
    expect(code).toBe(1);
    expect(output).toMatch(/^rollcall serve: .*is not a folder: choose another one with --folder\n$/);
  });

  it.each(['/proc/nope', '/proc/nope/deeper'])(
    'names the folder %s that cannot be created',
    async (given) => {
      expect(await rollcall('serve', '--folder', given)).toEqual({
        code: 1,
        output: `rollcall serve: ${given} cannot be created: choose another one with --folder\n`,
      });
    },
  );

  it.each([
    [['--folder', '/proc/nope'], 1, '/proc/nope cannot be created'],
    [['--nodes', 'many'], 2, 'nodes: "many" is refused'],
    [['--ndoes', '5'], 2, 'there is no option --ndoes; did you mean --nodes?'],
  ])('says so in JSON where its log is JSON: %j', async (args, code, message) => {
    const finished = await rollcall('serve', '--log-format', 'json', ...args);
    expect(finished.code).toBe(code);
    expect(JSON.parse(finished.output)).toMatchObject({
      level: 'error',
      message: expect.stringContaining(message),
    });
  });

  it('names the database that is damaged', async () => {
    const damaged = join(folder, 'c');
    mkdirSync(join(damaged, 'state'), { recursive: true });
    writeFileSync(join(damaged, 'state', 'objects.db'), 'no database '.repeat(1_000));
    const { code, output } = await rollcall('serve', '--folder', damaged);
    expect(code).toBe(1);
    expect(output.trim().split('\n')).toHaveLength(1);
    expect(output).toContain(damaged);
  });
});
