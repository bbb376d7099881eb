/** The requests that a node's server is asked. Source: kubernetes v1.34 registry/core/pod/strategy.go `LogLocation`, `streamLocation`. */

import { byText } from '../../kube/text/compare-text.ts';
import type { Pod } from '../../kube/types/core.ts';
import type { LogOptions } from './log-options.ts';

/** A path as it is on the wire, and the query without its question mark. */
export interface NodeTarget {
  readonly path: string;
  readonly query: string;
}

type Parameters = readonly (readonly [string, string])[];

/** As Go's `url.Values.Encode`: sorted by name. */
const encoded = (parameters: Parameters): string => {
  const query = new URLSearchParams();
  for (const [name, value] of parameters.toSorted(([a], [b]) => byText(a, b))) query.append(name, value);
  return String(query);
};

const pathOf = (...parts: readonly string[]): string => `/${parts.map(encodeURIComponent).join('/')}`;

const placeOf = ({ metadata: { namespace = '', name } }: Pod): readonly [string, string] => [namespace, name];

const flags = (given: Readonly<Record<string, boolean>>, yes: string): Parameters =>
  Object.entries(given).flatMap(([name, isOn]) => (isOn ? [[name, yes] as const] : []));

const values = (given: Readonly<Record<string, string | number | undefined>>): Parameters =>
  Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, String(value)] as const],
  );

/** The node's request for the log of a container. */
export const logTarget = (pod: Pod, container: string, options: LogOptions): NodeTarget => {
  const { follow, previous, timestamps, sinceSeconds, sinceTime, tailLines, limitBytes } = options;
  return {
    path: pathOf('containerLogs', ...placeOf(pod), container),
    query: encoded([
      ...flags({ follow, previous, timestamps }, 'true'),
      ...values({ sinceSeconds, sinceTime, tailLines, limitBytes }),
    ]),
  };
};

/** What an exec or attach connects. */
export interface Terminals {
  readonly stdin: boolean;
  readonly stdout: boolean;
  readonly stderr: boolean;
  readonly tty: boolean;
}

/** The message of a 400 if nothing is connected. With a terminal, stderr is part of stdout. Source: kubelet `remotecommand.NewOptions`. */
export const terminalsFault = ({ stdin, stdout, stderr, tty }: Terminals): string | undefined =>
  stdin || stdout || (stderr && !tty) ? undefined : 'you must specify at least 1 of stdin, stdout, stderr';

/** The node's request for an exec, or for an attach, which has no command. */
export const terminalTarget = (
  part: 'exec' | 'attach',
  pod: Pod,
  container: string,
  { stdin, stdout, stderr, tty }: Terminals,
  command: readonly string[],
): NodeTarget => ({
  path: pathOf(part, ...placeOf(pod), pod.metadata.uid ?? '', container),
  query: encoded([
    ...command.map((word) => ['command', word] as const),
    ...flags({ input: stdin, output: stdout, error: stderr, tty }, '1'),
  ]),
});

/** The node's request for a port-forward. Clients of SPDY name the ports later, in their streams. */
export const forwardTarget = (pod: Pod, ports: readonly string[]): NodeTarget => ({
  path: pathOf('portForward', ...placeOf(pod), pod.metadata.uid ?? ''),
  query: encoded(ports.length === 0 ? [] : [['port', ports.join(',')]]),
});

/** What may be asked of a node through `nodes/proxy`. */
const PROXIED =
  /^\/(stats\/summary|metrics(\/resource)?|healthz|containerLogs(\/(?!\.{1,2}(\/|$))[^/]+){3})$/;

/** The request behind `nodes/NAME/proxy`; `undefined`: the node's server is not asked for that. `rest`: the path after it, as on the wire. */
export const proxyTarget = (rest: string, query: string): NodeTarget | undefined =>
  PROXIED.test(rest) ? { path: rest, query } : undefined;
