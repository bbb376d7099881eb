/** The terminal of this process: taken over, and given back whatever happens. */
import { writeSync } from 'node:fs';
import type { Terminal } from '../roll-call/roll-call-screen.ts';

/** What happens at the terminal. */
export interface TerminalEvents {
  readonly onKeys: (text: string) => void;
  /** Its size, or what is on it, is another one. */
  readonly onChange: () => void;
  /** It was closed, or a signal ends the program. */
  readonly onEnd: () => void;
}

/** A terminal that was taken over. */
export interface OpenTerminal {
  size(): Terminal;
  write(text: string): void;
  /** Whether it takes more at the moment. */
  isFree(): boolean;
  /** Stops the program as Ctrl-Z does, until it is continued. */
  suspend(): void;
  /** Gives it back. */
  close(): void;
}

/** The other screen, without a cursor, and without line breaks of its own. Source: xterm's control sequences. */
const TAKE = '\u001b[?1049h\u001b[?25l\u001b[?7l';
const GIVE_BACK = '\u001b[?7h\u001b[?25h\u001b[?1049l';
const SMALLEST: Terminal = { rows: 24, columns: 80 };

const sizeOf = ({ rows, columns }: NodeJS.WriteStream): Terminal =>
  rows > 0 && columns > 0 ? { rows, columns } : SMALLEST;

/** Writes at once, because the process may be about to end; a terminal that is gone takes nothing. */
const writeNow = (text: string): void => {
  try {
    writeSync(1, text);
  } catch {
    // There is nobody left to tell.
  }
};

/** Takes the terminal over. */
export const openTerminal = ({ onKeys, onChange, onEnd }: TerminalEvents): OpenTerminal => {
  const { stdin, stdout } = process;
  let isTaken = false;
  const take = (): void => {
    isTaken = true;
    if (stdin.isTTY) stdin.setRawMode(true);
    writeNow(TAKE);
  };
  const giveBack = (): void => {
    if (!isTaken) return;
    isTaken = false;
    writeNow(GIVE_BACK);
    if (stdin.isTTY) stdin.setRawMode(false);
  };
  const suspend = (): void => {
    giveBack();
    process.kill(process.pid, 'SIGSTOP');
  };
  const resume = (): void => {
    take();
    onChange();
  };
  const keys = (data: Buffer | string): void => onKeys(String(data));

  take();
  process.on('exit', giveBack);
  process.on('SIGTSTP', suspend);
  process.on('SIGCONT', resume);
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.on(signal, onEnd);
  stdout.on('resize', onChange);
  stdout.on('error', onEnd);
  stdin.setEncoding('utf8').on('data', keys).on('end', onEnd).on('error', onEnd);
  return {
    size: () => sizeOf(stdout),
    write: (text) => void stdout.write(text),
    isFree: () => !stdout.writableNeedDrain,
    suspend,
    close: () => {
      stdin.off('data', keys).pause();
      stdout.off('resize', onChange);
      process.off('SIGTSTP', suspend).off('SIGCONT', resume);
      giveBack();
    },
  };
};
