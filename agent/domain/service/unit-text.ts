/** The unit of systemd that runs an agent. Source: systemd.service(5), systemd.syntax(7). */

/** A word of a command line: systemd replaces `%` and `$` even in quotes. */
const wordOf = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** systemd refuses other names of programs, and does not replace `$` in them. */
const PLAIN = /^[^"'\\$\p{Cc}]+$/u;

/** The same command line, by a shell if systemd does not take the name of its program. */
const startable = (command: readonly string[]): readonly string[] =>
  PLAIN.test(command[0] ?? '') ? command : ['/bin/sh', '-c', 'exec "$@"', 'sh', ...command];

/** The value of `--root-dir` in a unit; `undefined`: it has none. */
export const rootOfUnit = (unit: string): string | undefined =>
  /"--root-dir" "((?:[^"\\]|\\.)*)"/
    .exec(unit)?.[1]
    ?.replaceAll('$$', '$')
    .replaceAll('%%', '%')
    .replaceAll(/\\(.)/g, '$1');

/** Exit codes after which another start would end in the same way. */
const HOPELESS = [2, 3];

/**
 * The unit for this command line. Variables come from `environmentFile`, if there is such a file: proxies may have passwords.
 * Only the agent itself is ended with the service: pods go on, and the next agent takes them up. What is below the control group of the service
 * is left to the agent.
 */
export const unitText = (command: readonly string[], environmentFile: string): string =>
  [
    '[Unit]',
    'Description=Rollcall agent: makes this machine a node',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `EnvironmentFile=-${environmentFile.replaceAll('%', '%%')}`,
    `ExecStart=${startable(command).map(wordOf).join(' ')}`,
    'Restart=always',
    'RestartSec=5',
    `RestartPreventExitStatus=${HOPELESS.join(' ')}`,
    'KillMode=process',
    'Delegate=yes',
    'TasksMax=infinity',
    '',
    '[Install]',
    'WantedBy=multi-user.target',
    '',
  ].join('\n');
