/** Commands in containers of plain mode, and clients that attach to them. */
import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { StreamedProcess, WantedStreams } from '../../../../agent/ports/machine/container-streams.ts';
import { type PlainMachine, startPlainMachine } from '../../../support/agent/machines/plain-machine.ts';
import { eventually } from '../../../support/clocks/eventually.ts';

let machine: PlainMachine;
const ALL: WantedStreams = { stdin: true, stdout: true, stderr: true, tty: false };
const INPUT = { hasInput: true, endsWithClient: false, isTerminal: false };
const process = (made: StreamedProcess | URL): StreamedProcess => {
  if (made instanceof URL) throw new Error('a URL');
  return made;
};
const exec = async (id: string, script: string, wanted: WantedStreams = ALL): Promise<StreamedProcess> =>
  process(await machine.runtime().streams.exec(id, ['sh', '-c', script], wanted));
const attach = async (id: string, wanted: WantedStreams = ALL): Promise<StreamedProcess> =>
  process(await machine.runtime().streams.attach(id, wanted));
const collected = ({ stdout }: StreamedProcess): (() => string) => {
  let all = '';
  stdout?.on('data', (chunk: Buffer) => {
    all += chunk.toString();
  });
  return () => all;
};
const sees = (seen: () => string, what: string) =>
  eventually(`the client sees ${what}`, 30_000, async () => seen().includes(what), { everyMs: 20 });

beforeEach(async () => {
  machine = await startPlainMachine();
});
afterEach(() => machine.close());

describe('a command in a container of plain mode', { timeout: 90_000 }, () => {
  it('has the environment and the folder of the container, and its own exit code', async () => {
    const id = await machine.start(['sleep', '1000'], { environment: { A: 'b' }, workingDirectory: '/usr' });
    const script = ['sh', '-c', 'echo "$A $PWD"; echo error >&2; exit 3'];
    expect(await machine.runtime().exec(id, script, 30_000)).toEqual({
      exitCode: 3,
      output: 'b /usr\nerror\n',
    });
  });

  it('is killed with all that it has started when its time is over', async () => {
    const id = await machine.start(['sleep', '1000']);
    await eventually('the container is one process', 30_000, async () => machine.marked(id) === 1);
    const command = ['sh', '-c', 'echo begun; setsid sleep 1000 & sleep 1000'];
    expect(await machine.runtime().exec(id, command, 300)).toEqual({ output: 'begun\n' });
    await eventually('only the container is left', 30_000, async () => machine.marked(id) === 1);
  });

  it('is bounded in what it says', async () => {
    const id = await machine.start(['sleep', '1000']);
    const { output } = await machine.runtime().exec(id, ['sh', '-c', 'yes | head -c 1000000'], 30_000);
    expect(output).toHaveLength(10 * 1024);
  });

  it('has streams for its client', async () => {
    const id = await machine.start(['sleep', '1000']);
    const command = await exec(id, 'cat; echo error >&2; exit 5');
    command.stdin?.end('hello\n');
    const [out, err, code] = await Promise.all([
      text(command.stdout ?? new PassThrough()),
      text(command.stderr ?? new PassThrough()),
      command.ended,
    ]);
    expect([out, err, code]).toEqual(['hello\n', 'error\n', 5]);
  });

  it('ends when its client goes', async () => {
    const id = await machine.start(['sleep', '1000']);
    const command = await exec(id, 'trap "" HUP; echo up; sleep 1000');
    await sees(collected(command), 'up');
    command.end();
    expect(await command.ended).toBe(137);
    await eventually('only the container is left', 30_000, async () => machine.marked(id) === 1);
  });

  it('has no terminal', async () => {
    const id = await machine.start(['sleep', '1000']);
    const tty = { stdin: true, stdout: true, stderr: false, tty: true };
    await expect(exec(id, 'true', tty)).rejects.toThrow('there are no terminals with --unisolated');
  });

  it('needs a program, and a container that runs', async () => {
    const id = await machine.start(['sleep', '1000']);
    const missing = machine.runtime().exec(id, ['nowhere'], 30_000);
    await expect(missing).rejects.toThrow('exec: "nowhere": executable file not found in $PATH');
    await machine.runtime().stopContainer(id, 0);
    await expect(machine.runtime().exec(id, ['true'], 30_000)).rejects.toThrow(
      `container ${id} is not running`,
    );
    await expect(attach(id)).rejects.toThrow(`container ${id} is not running`);
  });
});

describe('a client of a container of plain mode', { timeout: 90_000 }, () => {
  it('sees what is written from then on, prompts too, and sends to its input', async () => {
    const id = await machine.shell(
      'echo before; printf "name? "; read name; echo "hello $name"; sleep 1000',
      {
        input: INPUT,
      },
    );
    await machine.says(id, 'name? ');
    const client = await attach(id);
    const seen = collected(client);
    client.stdin?.write('x\n');
    await sees(seen, 'hello x\n');
    expect(seen()).toBe('hello x\n');
    client.end();
    const next = await attach(id);
    next.end();
    expect(await machine.container(id)).toMatchObject({ state: 'running' });
  });

  it('ends the input for a program that wants one client only', async () => {
    const id = await machine.shell('cat; echo over', { input: { ...INPUT, endsWithClient: true } });
    const client = await attach(id);
    const seen = collected(client);
    client.stdin?.end('all\n');
    expect(await machine.ended(id)).toMatchObject({ exitCode: 0 });
    expect(machine.log(id)).toBe('all\nover\n');
    expect(await client.ended).toBe(0);
    expect(seen()).toBe('all\nover\n');
  });

  it('that leaves and comes back keeps no input from the program', async () => {
    const id = await machine.shell('while read line; do echo "got $line"; done; echo over', { input: INPUT });
    for (const word of ['one', 'two']) {
      const client = await attach(id);
      client.stdin?.end(`${word}\n`);
      await machine.says(id, `got ${word}\n`);
      client.end();
    }
    expect(machine.log(id)).not.toContain('over');
  });

  it('that does not read keeps the program from nothing', async () => {
    const id = await machine.shell('echo up; sleep 0.3; yes | head -c 3000000; echo over; sleep 1000');
    await machine.says(id, 'up');
    const client = await attach(id);
    await machine.says(id, 'over');
    client.end();
  });
});
