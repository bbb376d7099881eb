/** Opens a link that has a secret in the browser. Command lines are seen by everybody on the machine, so a private file leads to it. */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { RunningDashboard } from '../../dashboard/server/start.ts';
import { onEnter } from '../shell/on-enter.ts';

/** The file is removed when the link was used, or after this time (ms). */
const KEPT_MS = 60_000;

interface OpenedLink {
  /** Removes the file. */
  forget(): void;
}

const pageOf = (link: string): string =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Rollcall</title><meta http-equiv="refresh" content="0; url=${link}"><a href="${link}">The dashboard</a></html>\n`;

/** A browser that is installed as a snap or a flatpak sees no `/tmp`, and in the home folder only files whose names begin with no dot. */
const writeFile = (link: string, folders: readonly string[]): string | undefined => {
  for (const folder of folders)
    try {
      const path = join(folder, `rollcall-dashboard-${randomBytes(8).toString('hex')}.html`);
      writeFileSync(path, pageOf(link), { mode: 0o600, flag: 'wx' });
      return path;
    } catch {
      // The next folder is tried.
    }
  return undefined;
};

const start = (path: string): void => {
  const program = process.platform === 'darwin' ? 'open' : 'xdg-open';
  const child = spawn(program, [path], { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
};

/** Does nothing where there is no such program, and where no file can be written: the link is printed, too. */
export const openLink = (link: string, home: string | undefined): OpenedLink => {
  const path = writeFile(link, [...(home ? [home] : []), tmpdir()]);
  if (path === undefined) return { forget: () => undefined };
  const forget = (): void => rmSync(path, { force: true });
  setTimeout(forget, KEPT_MS).unref();
  start(path);
  return { forget };
};

/** The links of a dashboard on the terminal: the first one, and another when that was used, or when the user asks for it. */
export const createLinks = (print: (text: string) => void) => {
  let dashboard: RunningDashboard | undefined;
  let opened: OpenedLink | undefined;
  const tell = (why: string): void => {
    opened?.forget();
    print(`${why}: ${dashboard?.link()}`);
  };
  return {
    used: () => tell('the link has been used; open this one in another browser'),
    show: (running: RunningDashboard, open?: (link: string) => OpenedLink) => {
      dashboard = running;
      const hasKey = onEnter(() => {
        running.renewLink();
        tell('this link is good once, and the one before is not good any more');
      });
      tell(`open this link, which is good once${hasKey ? ' (Enter prints another one)' : ''}`);
      opened = open?.(running.link());
    },
    forget: () => opened?.forget(),
  };
};
