/** Where the runtime streams to its containers: it answers with a URL of a server of its own. */

import type { ContainerLog, ContainerStreams, WantedStreams } from '../../ports/machine/container-streams.ts';
import { ownIdOf } from '../../rules/cri/runtime-container.ts';
import { unlessGone } from './cri-error.ts';
import type { Parts } from './parts.ts';
import { sandboxesOf } from './pods.ts';

const logOf = async ({ client }: Parts, id: string): Promise<ContainerLog | undefined> => {
  const found = await unlessGone(client.runtime.containerStatus({ containerId: ownIdOf(id) }));
  const path = found?.status?.logPath;
  return path ? { path } : undefined;
};

/** A terminal has one output: a runtime refuses to stream its errors apart. */
const streamsOf = ({ stdin, stdout, stderr, tty }: WantedStreams) => ({
  stdin,
  stdout,
  tty,
  stderr: stderr && !tty,
});

export const createCriStreams = (parts: Parts): ContainerStreams => {
  const { runtime } = parts.client;
  return {
    log: (id) => logOf(parts, id),
    exec: async (id, cmd, wanted) => {
      const { url } = await runtime.exec({ containerId: ownIdOf(id), cmd, ...streamsOf(wanted) });
      return new URL(url);
    },
    attach: async (id, wanted) => {
      const { url } = await runtime.attach({ containerId: ownIdOf(id), ...streamsOf(wanted) });
      return new URL(url);
    },
    forward: async (podUid, port) => {
      const [sandbox] = await sandboxesOf(parts, podUid);
      if (sandbox?.state !== 'SANDBOX_READY') throw new Error(`pod ${podUid} is not running`);
      const { url } = await runtime.portForward({ podSandboxId: sandbox.id, port });
      return new URL(url);
    },
  };
};
