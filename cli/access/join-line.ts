/** The line that makes a machine a node. */
import { checkUrl } from '../agent/agent-options.ts';
import type { CommandContext } from '../shell/command.ts';
import { quoted } from '../shell/quoted.ts';
import type { Cluster } from './cluster.ts';

/** The certificate of a PEM as one word. */
const dataOf = (pem: string): string => pem.replaceAll(/-----[^-]+-----|\s/g, '');

const isLoopback = (url: string): boolean => {
  const { hostname } = new URL(url);
  return /^(localhost|127\..*|\[::1\])$/.test(hostname);
};

/** The line. It has a token, so it is a secret; no program gets it as an argument, because `printf` is a part of each shell. */
export const joinLine = async (
  cluster: Cluster,
  token: string,
  { complain }: Pick<CommandContext, 'complain'>,
): Promise<string> => {
  const [own, heartbeat] = [checkUrl('server', await cluster.server()), await cluster.heartbeat()];
  const server = cluster.serverForOthers ?? own;
  if (isLoopback(server))
    complain(
      `${server} is an address of this machine only: for others, start the host with --listen 0.0.0.0:PORT, or give its address with --server`,
    );
  const options = {
    server,
    ...(heartbeat === own ? {} : { 'heartbeat-server': heartbeat }),
    ...(cluster.ca === undefined ? {} : { 'ca-data': dataOf(cluster.ca) }),
  };
  const words = Object.entries(options).flatMap(([name, value]) => [`--${name}`, quoted(value)]);
  return `printf %s ${quoted(token)} | ${['rollcall agent run', ...words].join(' ')} --bootstrap-token-file -`;
};
