/** Sets the size of terminals. */
import { execFile } from 'node:child_process';
import type { TerminalSize } from '../../ports/machine/container-streams.ts';

const setSize = (stty: string, terminal: string, { width, height }: TerminalSize): Promise<void> =>
  new Promise((resolve) => {
    const size = ['rows', String(height), 'cols', String(width)];
    // A terminal that is gone has no size.
    execFile(stty, ['-F', terminal, ...size], () => resolve());
  });

/**
 * Gives a terminal the newest size that was asked for, one change after the other: kubectl asks for two at once. `terminal`: its path, as soon as it has
 * one; empty: it will have none.
 */
export const createTerminalSizer = (
  stty: string,
  terminal: () => Promise<string>,
): ((size: TerminalSize) => void) => {
  let wanted: TerminalSize | undefined;
  let isBusy = false;
  const work = async (): Promise<void> => {
    isBusy = true;
    const path = await terminal();
    while (wanted) {
      const size = wanted;
      wanted = undefined;
      if (path !== '') await setSize(stty, path, size);
    }
    isBusy = false;
  };
  return (size) => {
    wanted = size;
    if (!isBusy) void work();
  };
};
