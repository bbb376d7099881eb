/** A shell in which blocks are run one after the other, as somebody would who has pasted them. */
import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { eventually } from '../support/clocks/eventually.ts';
import { kill } from '../support/shell/kill.ts';
import type { Block, Directive } from './blocks.ts';

export interface Session {
  /** Runs a block; resolves with what it printed. Rejects with the same where a command fails. */
  run(block: Block): Promise<string>;
  /** Ends the shell and everything that it has started. */
  end(): Promise<void>;
}

export interface SessionOptions {
  readonly folder: string;
  readonly env: NodeJS.ProcessEnv;
  /** Run first, for functions that stand in for programs. */
  readonly prelude?: string;
}

type OfKind<K extends Directive['kind']> = Extract<Directive, { readonly kind: K }>;

const END = 'end of the block';
/** Milliseconds that any block may take, and that what runs in the background has until it is ready. */
const BLOCK_MS = 280_000;
const READY_MS = 60_000;
const LOOK_MS = 100;

const ofKind = <K extends Directive['kind']>({ directives }: Block, kind: K): readonly OfKind<K>[] =>
  directives.filter((one): one is OfKind<K> => one.kind === kind);

const logOf = (command: string): string => `${command.replaceAll(/\W+/g, '-')}.log`;

/** Ended by the signal that Ctrl-C sends; what it printed is printed. */
const forSeconds = (seconds: number, body: string, log: string): string =>
  `{ ${body}\n} >${log} 2>&1 &\nROLLCALL_README_PID=$!\nsleep ${seconds}\n` +
  `kill $ROLLCALL_README_PID\nwait $ROLLCALL_README_PID 2>/dev/null || :\ncat ${log}`;

const lineScript = (line: string, block: Block): string => {
  const begins = ({ command }: { readonly command: string }): boolean =>
    command !== '' && line.startsWith(command);
  const log = logOf(line.slice(0, 24));
  if (ofKind(block, 'skip').some(begins)) return ':';
  const timed = ofKind(block, 'for').find(begins);
  if (timed) return forSeconds(timed.seconds, `exec ${line}`, log);
  const background = ofKind(block, 'background').find(begins);
  if (!background) return line;
  const started = logOf(background.command);
  return `: >${started}\n{ ${line}\n} >${started} 2>&1 &\nuntil_line ${started} '${background.until}'`;
};

const elsewhere = (script: string, programs: string): string =>
  `ROLLCALL_README_HERE=$PWD ROLLCALL_README_PATH=$PATH\nPATH=$PWD/${programs}:$PATH\n${script}\n` +
  'cd "$ROLLCALL_README_HERE"\nPATH=$ROLLCALL_README_PATH';

const scriptOf = (block: Block): string => {
  const [other] = ofKind(block, 'elsewhere');
  return other ? elsewhere(linesOf(block), other.programs) : linesOf(block);
};

const linesOf = (block: Block): string => {
  const [whole] = ofKind(block, 'for').filter(({ command }) => command === '');
  if (whole) return forSeconds(whole.seconds, block.text, `block-${block.line}.log`);
  return block.text
    .split('\n')
    .map((line) => lineScript(line, block))
    .join('\n');
};

/** Waits in the shell, so that its next line finds what was started. */
const UNTIL_LINE = `until_line() {
  tries=0
  until grep -q "$2" "$1"; do
    tries=$((tries + 1))
    [ "$tries" -lt ${READY_MS / LOOK_MS} ] || { cat "$1"; return 1; }
    command sleep 0.1
  done
}`;

interface Process {
  readonly pid: number;
  readonly parent: number;
  readonly command: string;
}

const processes = (): readonly Process[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .flatMap((name) => {
      try {
        const stat = readFileSync(`/proc/${name}/stat`, 'utf8');
        const parent = Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
        const command = readFileSync(`/proc/${name}/cmdline`, 'utf8').replaceAll('\0', ' ');
        return [{ pid: Number(name), parent, command }];
      } catch {
        return [];
      }
    });

const descendantsOf = (pid: number, all = processes()): readonly Process[] =>
  all.filter(({ parent }) => parent === pid).flatMap((one) => [one, ...descendantsOf(one.pid, all)]);

/** SIGTERM to the innermost processes of a command, as a terminal's Ctrl-C reaches them; resolves when they are gone. */
const stop = async (shell: ChildProcess, command: string): Promise<void> => {
  const family = descendantsOf(shell.pid ?? 0);
  const leaves = family.filter(({ pid }) => !family.some(({ parent }) => parent === pid));
  // The program of a checkout, or of an installed package.
  const meant = leaves.filter((one) => /\/rollcall(\.js)? /.test(one.command));
  if (meant.length === 0) throw new Error(`nothing runs in the background by "${command}"`);
  for (const { pid } of meant) process.kill(pid, 'SIGTERM');
  const isGone = ({ pid }: Process): boolean => !existsSync(`/proc/${pid}`);
  await eventually(`${command} ends`, READY_MS, async () => meant.every(isGone), { everyMs: LOOK_MS });
};

export const startSession = ({ folder, env, prelude = '' }: SessionOptions): Session => {
  const shell = spawn('sh', [], { cwd: folder, env, detached: true, stdio: ['pipe', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [shell.stdout, shell.stderr])
    stream.on('data', (chunk: Buffer) => {
      output += chunk.toString();
    });
  shell.stdin.on('error', () => {});
  shell.stdin.write(`set -e\n${UNTIL_LINE}\n${prelude}\n`);
  return {
    run: async (block) => {
      for (const { command } of ofKind(block, 'stop')) await stop(shell, command);
      output = '';
      const file = join(folder, `block-${block.line}.sh`);
      writeFileSync(file, `${scriptOf(block)}\n`);
      shell.stdin.write(`. ${file} </dev/null\necho '${END}'\n`);
      const isOver = (): boolean => output.includes(END) || shell.exitCode !== null;
      await eventually(`the block ends; so far it printed\n${output}`, BLOCK_MS, async () => isOver(), {
        everyMs: LOOK_MS,
      });
      if (!output.includes(END)) throw new Error(`a command failed:\n${block.text}\n\n${output}`);
      return output.replace(`${END}\n`, '');
    },
    end: async () => {
      const family = descendantsOf(shell.pid ?? 0);
      for (const { pid } of [...family, { pid: shell.pid ?? 0 }]) kill(pid);
      await eventually(
        'the shell is gone',
        READY_MS,
        async () => shell.exitCode !== null || shell.signalCode !== null,
        { everyMs: LOOK_MS },
      );
    },
  };
};
