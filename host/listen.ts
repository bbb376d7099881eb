import { optional } from '../shared/kube/values/optional.ts';
import type { ConnectionCount } from '../shared/serving/http/connections.ts';
import {
  type CutReason,
  type Listener,
  type ListenerOptions,
  startListener,
} from '../shared/serving/http/listener.ts';
import { codeOf, listenProblem } from '../shared/serving/http/problem.ts';
import { apiDepsOf, createHostApi } from './api.ts';
import { CLOSED, recordConnections } from './figures/host-metrics.ts';
import type { OpenFolder } from './folder/folder.ts';
import { readHostRecord } from './folder/host-record.ts';
import type { Ports } from './ports.ts';

/** Calls `record` once in a turn of the event loop, with the last value: in one turn a thousand connections may close. */
const oncePerTurn = <T>(record: (latest: T) => void): ((value: T) => void) => {
  let latest: { readonly value: T } | undefined;
  return (value) => {
    if (!latest)
      setImmediate(() => {
        if (latest) record(latest.value);
        latest = undefined;
      });
    latest = { value };
  };
};

const repeatsOf = ({ shortcuts, hostLog }: Ports): ListenerOptions['repeats'] =>
  shortcuts.unparsed ? { onOff: (line) => hostLog.warn(line), findFault: shortcuts.findFault } : undefined;

/**
 * Serves the API. With port 0 it takes the port of the last run, so that clients find the host again, or a free one if that is
 * taken. Rejects with a `HostProblem` if it cannot listen there.
 */
export const listenFor = async (ports: Ports, opened: OpenFolder): Promise<Listener> => {
  const { configuration, paths, certificates } = opened;
  const { listen } = configuration;
  const { metrics, requestLog } = ports;
  const options = {
    serve: createHostApi(apiDepsOf(ports, opened)),
    tls: certificates.server,
    host: listen.host,
    limits: configuration.limits,
    ...optional('repeats', repeatsOf(ports)),
    onCount: oncePerTurn((count: ConnectionCount) => recordConnections(metrics, count)),
    onCut: (reason: CutReason) => metrics.add(CLOSED, { reason }),
    onError: (error: unknown) => requestLog.warn('the connection failed', { error }),
  };
  const last = readHostRecord(paths.host);
  const port = listen.port === 0 && last?.host === listen.host ? last.port : listen.port;
  try {
    return await startListener({ ...options, port });
  } catch (error) {
    if (listen.port === 0 && codeOf(error) === 'EADDRINUSE') return startListener({ ...options, port: 0 });
    throw listenProblem(error, listen.host, listen.port);
  }
};
