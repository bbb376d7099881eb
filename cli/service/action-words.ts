/** The words by which a command is about its service. They have a file of their own, so that other starts load nothing of services. */

import type { Row } from '../options/wrapped-text.ts';

const WORDS = ['install', 'uninstall', 'status', 'logs'];

export const isServiceAction = ([word = '']: readonly string[]): boolean => WORDS.includes(word);

/** For the usage of a command that can be a service. */
export const serviceUsage = (name: string): readonly string[] => [
  `rollcall ${name} install [--user USER] [options]`,
  `rollcall ${name} (uninstall | status | logs)`,
];

/** What the words do, for the same. */
export const SERVICE_HELP: readonly Row[] = [
  [
    'install',
    'runs it as a service of systemd with these options, as USER (default rollcall, who is made), in /var/lib',
  ],
  ['uninstall', 'ends the service and removes it; its folder stays'],
  ['status', 'says how the service is'],
  ['logs', 'prints its log; options are those of journalctl'],
];

/** The folder among words of the form `--folder=FOLDER`; `undefined`: nobody gave one. */
export const folderIn = (words: readonly string[]): string | undefined =>
  words.findLast((word) => word.startsWith('--folder='))?.slice('--folder='.length);
