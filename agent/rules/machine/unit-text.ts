/** The unit of systemd that runs an agent. */
import { serviceUnit, wordAfter } from './unit-file.ts';

/** The value of `--root-dir` in a unit; `undefined`: it has none. */
export const rootOfUnit = (unit: string): string | undefined => wordAfter(unit, '--root-dir');

/**
 * The unit for this command line. Variables come from `environmentFile`, if there is such a file: proxies may have passwords.
 * Only the agent itself is ended with the service: pods go on, and the next agent takes them up. What is below the control group of the service
 * is left to the agent.
 */
export const unitText = (command: readonly string[], environmentFile: string): string =>
  serviceUnit({
    description: 'Rollcall agent: makes this machine a node',
    command,
    environmentFile,
    restartSeconds: 5,
    hopeless: [2, 3],
    further: ['KillMode=process', 'Delegate=yes', 'TasksMax=infinity'],
  });
