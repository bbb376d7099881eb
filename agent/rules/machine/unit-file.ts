/** Files of units of systemd. Source: systemd.service(5), systemd.syntax(7). */

const ESCAPES: Readonly<Record<string, string>> = {
  '\\': '\\\\',
  '"': '\\"',
  '%': '%%',
  $: '$$',
  // The file has a setting in each line.
  '\n': '\\n',
  '\r': '\\r',
};

/** A word of a command line: systemd replaces `%` and `$` even in quotes. */
const wordOf = (text: string): string =>
  `"${text.replaceAll(/[\\"%$\n\r]/g, (character) => ESCAPES[character] ?? '')}"`;

/** A path as the value of a setting, where only `%` is special. */
export const pathText = (path: string): string => path.replaceAll('%', '%%');

/** systemd refuses other names of programs, and does not replace `$` in them. */
const PLAIN = /^[^"'\\$\p{Cc}]+$/u;

/** The same command line, by a shell if systemd does not take the name of its program. */
const startable = (command: readonly string[]): readonly string[] =>
  PLAIN.test(command[0] ?? '') ? command : ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command];

/** The word behind `flag` in the command line of a unit; `undefined`: it has none. */
export const wordAfter = (unit: string, flag: string): string | undefined =>
  new RegExp(`"${flag}" "((?:[^"\\\\]|\\\\.)*)"`)
    .exec(unit)?.[1]
    ?.replaceAll('$$', '$')
    .replaceAll('%%', '%')
    .replaceAll(/\\(.)/g, '$1');

/** A service that is started with the machine, once the network is there, and again when it ends. */
export interface ServiceUnit {
  readonly description: string;
  readonly command: readonly string[];
  /** Variables come from this file, if it is there. */
  readonly environmentFile: string;
  readonly restartSeconds: number;
  /** Exit codes after which another start would end in the same way. */
  readonly hopeless: readonly number[];
  /** Further lines of the section `[Service]`. */
  readonly further: readonly string[];
}

/** The text of the unit. */
export const serviceUnit = (unit: ServiceUnit): string =>
  [
    '[Unit]',
    `Description=${unit.description}`,
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `EnvironmentFile=-${pathText(unit.environmentFile)}`,
    `ExecStart=${startable(unit.command).map(wordOf).join(' ')}`,
    'Restart=always',
    `RestartSec=${unit.restartSeconds}`,
    `RestartPreventExitStatus=${unit.hopeless.join(' ')}`,
    ...unit.further,
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
