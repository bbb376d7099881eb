/** Logs of process containers, and streams to them. */
import type { ContainerStreams } from '../../../ports/machine/container-streams.ts';
import { dialMachine } from '../../linux/dial-machine.ts';
import type { Parts } from '../lifecycle/parts.ts';
import { readContainer } from '../processes/records.ts';
import { attach } from './attach.ts';
import { execPlan, placeOf } from './exec-plan.ts';
import { execStream } from './exec-stream.ts';

/** Both outputs of a container are one file. */
const logPathOf = (parts: Parts, id: string): string | undefined => {
  const place = placeOf(parts, id);
  return place && readContainer(place)?.logFile;
};

export const createProcessStreams = (parts: Parts): ContainerStreams => ({
  log: async (id) => {
    const path = logPathOf(parts, id);
    return path === undefined ? undefined : { path, format: 'plain' };
  },
  exec: async (id, command, wanted) => {
    const { terminal } = parts.tools;
    if (wanted.tty && !terminal)
      throw new Error(
        'this machine has no terminals for commands: the programs script and stty are not there',
      );
    return execStream(await execPlan(parts, id), command, wanted, terminal);
  },
  attach: (id, wanted) => attach(parts, id, wanted),
  forward: async () => ({ dial: dialMachine }),
});
