/** The unit of systemd that runs an agent. Source: systemd.service(5), systemd.syntax(7). */

/** A word of a command line: systemd replaces `%` and `$` even in quotes. */
const wordOf = (text: string): string =>
  `"${text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('%', '%%').replaceAll('$', '$$$$')}"`;

/** Exit codes after which another start would end in the same way. */
const HOPELESS = [2, 3];

/**
 * The unit for this command line. Only the agent itself is ended with the service: pods go on, and the next agent takes them up. What is below
 * the control group of the service is left to the agent.
 */
export const unitText = (command: readonly string[]): string =>
  [
    '[Unit]',
    'Description=Rollcall agent: makes this machine a node',
    'Wants=network-online.target',
    'After=network-online.target',
    '',
    '[Service]',
    `ExecStart=${command.map(wordOf).join(' ')}`,
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
