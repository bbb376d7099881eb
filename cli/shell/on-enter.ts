/** Enter at the terminal asks a running command for something. */
import { execFileSync } from 'node:child_process';

/**
 * Whether this process has the terminal. One in the background that read from it would be stopped with the next key that its user presses.
 * Without `ps` it is not known, and nothing is read.
 */
const hasTerminal = (): boolean => {
  try {
    const shown = execFileSync('ps', ['-o', 'pgid=,tpgid=', '-p', String(process.pid)], { encoding: 'utf8' });
    const [own, terminal] = shown.trim().split(/\s+/);
    return own === terminal;
  } catch {
    return false;
  }
};

/** Calls `ask` for each Enter while this process has the terminal. Returns whether it has it now. It keeps no process alive. */
export const onEnter = (ask: () => void): boolean => {
  const { stdin } = process;
  if (!stdin.isTTY) return false;
  const listen = (): boolean => {
    const isOurs = hasTerminal();
    if (isOurs) stdin.resume().unref();
    else stdin.pause();
    return isOurs;
  };
  // A listener for data would begin to read at once.
  stdin.pause();
  stdin.on('error', () => undefined).on('data', ask);
  // A shell continues a job in the foreground, or in the background.
  process.on('SIGCONT', listen);
  return listen();
};
