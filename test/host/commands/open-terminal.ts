import { spawn } from 'node:child_process';
import { resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { eventually } from '../../support/clocks/eventually.ts';

/** A screen of a terminal. */
export interface Shown {
  readonly lines: readonly string[];
  /** Private modes of the terminal that are set, such as `?1049` for the other screen. */
  readonly modes: readonly string[];
  readonly isCooked: boolean;
  /** Whether something was written beyond the last column or row. */
  readonly overflow: boolean;
  /** The exit code, as soon as the command has ended. */
  readonly code: number | null;
}

/** A program on a terminal of its own: its screen is read, keys and signals are sent to it. */
export const openTerminal = (columns: number, rows: number, command: readonly string[]) => {
  const child = spawn(
    'python3',
    [resolve('test/host/commands/terminal.py'), String(columns), String(rows), ...command],
    {
      stdio: ['pipe', 'pipe', 'inherit'],
    },
  );
  const answers = createInterface(child.stdout)[Symbol.asyncIterator]();
  const order = (what: object): void => void child.stdin.write(`${JSON.stringify(what)}\n`);
  const shown = async (): Promise<Shown> => {
    order({ screen: 0.3 });
    const { value } = await answers.next();
    return JSON.parse(value as string) as Shown;
  };
  return {
    keys: (keys: string): void => order({ keys }),
    size: (c: number, r: number): void => order({ size: [c, r] }),
    signal: (signal: number): void => order({ signal }),
    shown,
    /** Waits until the screen has the text. */
    until: (text: string): Promise<Shown> =>
      eventually(`the screen has "${text}"`, 30_000, async () => {
        const now = await shown();
        return now.lines.join('\n').includes(text) ? now : undefined;
      }),
    ended: (): Promise<Shown> =>
      eventually('top has ended', 15_000, async () => {
        const now = await shown();
        return now.code === null ? undefined : now;
      }),
    close: (): void => void child.stdin.end(),
  };
};
