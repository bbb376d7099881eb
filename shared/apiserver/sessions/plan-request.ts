/** What requests for logs, exec, attach, port-forward and a node's proxy come to. Source: kubernetes v1.34 registry/core/pod/rest. */

import { invalidObject } from '../../kube/errors/field-error.ts';
import { badRequest, notFound } from '../../kube/errors/status-error.ts';
import { timeFault, utcTime } from '../../kube/schema/go-time.ts';
import type { Pod } from '../../kube/types/core.ts';
import { liveRow } from '../../ports/store/rows.ts';
import { containerOf } from '../../rules/streams/container-choice.ts';
import { type LogOptions, logFaults } from '../../rules/streams/log-options.ts';
import {
  forwardTarget,
  logTarget,
  proxyTarget,
  type Terminals,
  terminalsFault,
  terminalTarget,
} from '../../rules/streams/node-request.ts';
import type { Call } from '../contract/call.ts';
import { subjectOf } from '../contract/call.ts';
import type { ApiServerDeps } from '../contract/deps.ts';
import { isSet } from '../contract/request-info.ts';
import type { PlannedRequest } from '../contract/session.ts';
import { integerParameter } from '../request/options.ts';

/** `undefined`: there is nothing to ask a node for, and the answer is empty. Rejects with 400, 404 and 422. */
export type Plan = (call: Call, deps: ApiServerDeps) => Promise<PlannedRequest | undefined>;

const podOf = async (call: Call, { objects }: ApiServerDeps): Promise<Pod> => {
  const { namespace, name } = call.info;
  const row = liveRow(await objects.read({ resource: 'pods', namespace, name }));
  if (!row) throw notFound(subjectOf(call));
  return row.object as Pod;
};

const containerIn = (pod: Pod, { request }: Call): string => {
  const choice = containerOf(pod, request.query.get('container') ?? '');
  if ('fault' in choice) throw badRequest(choice.fault);
  return choice.container;
};

const hostOf = ({ metadata, spec }: Pod): string => {
  if (!spec.nodeName) throw badRequest(`pod ${metadata.name} does not have a host assigned`);
  return spec.nodeName;
};

const instantIn = (query: URLSearchParams): string | undefined => {
  const given = query.get('sinceTime');
  if (given === null || given === '') return undefined;
  const fault = timeFault(given, 'time');
  if (fault !== undefined) throw badRequest(fault);
  return utcTime(given, 'time');
};

const logOptionsOf = ({ request: { query }, info }: Call): LogOptions => {
  const number = (name: string) => integerParameter(query, name);
  const options = {
    follow: isSet(query, 'follow'),
    previous: isSet(query, 'previous'),
    timestamps: isSet(query, 'timestamps'),
    sinceSeconds: number('sinceSeconds'),
    tailLines: number('tailLines'),
    limitBytes: number('limitBytes'),
    sinceTime: instantIn(query),
    stream: query.get('stream') ?? undefined,
  };
  const faults = logFaults(options);
  if (faults.length > 0) throw invalidObject({ kind: 'PodLogOptions' }, info.name, faults);
  return options;
};

const planLog: Plan = async (call, deps) => {
  const options = logOptionsOf(call);
  const pod = await podOf(call, deps);
  const container = containerIn(pod, call);
  const { nodeName } = pod.spec;
  return nodeName
    ? { node: nodeName, target: logTarget(pod, container, options), upgrades: false }
    : undefined;
};

const terminalsOf = ({ request: { query } }: Call): Terminals => ({
  stdin: isSet(query, 'stdin'),
  stdout: isSet(query, 'stdout'),
  stderr: isSet(query, 'stderr'),
  tty: isSet(query, 'tty'),
});

const planTerminal =
  (part: 'exec' | 'attach'): Plan =>
  async (call, deps) => {
    const pod = await podOf(call, deps);
    const container = containerIn(pod, call);
    const node = hostOf(pod);
    const terminals = terminalsOf(call);
    const fault = terminalsFault(terminals);
    if (fault !== undefined) throw badRequest(fault);
    const command = part === 'exec' ? call.request.query.getAll('command') : [];
    return { node, target: terminalTarget(part, pod, container, terminals, command), upgrades: true };
  };

const portsIn = (query: URLSearchParams): readonly string[] =>
  query
    .getAll('ports')
    .flatMap((ports) =>
      ports.split(',').map((port) => String(integerParameter(new URLSearchParams({ port }), 'port') ?? 0)),
    );

const planForward: Plan = async (call, deps) => {
  const pod = await podOf(call, deps);
  return { node: hostOf(pod), target: forwardTarget(pod, portsIn(call.request.query)), upgrades: true };
};

/** The path after `/api/v1/nodes/NAME/proxy`, as it is on the wire. */
const restOf = (path: string): string =>
  path
    .split('/')
    .slice(6)
    .map((part) => `/${part}`)
    .join('');

const planProxy: Plan = async ({ request: { path, query }, info }) => {
  const rest = restOf(path);
  const target = proxyTarget(rest, String(query));
  if (!target)
    throw badRequest(
      `the server of a node is asked for stats/summary, metrics, metrics/resource, healthz and containerLogs only, not for ${JSON.stringify(rest)}`,
    );
  return { node: info.name, target, upgrades: false };
};

/** By resource and subresource. */
export const PLANS: Readonly<Record<string, Plan>> = {
  'pods/log': planLog,
  'pods/exec': planTerminal('exec'),
  'pods/attach': planTerminal('attach'),
  'pods/portforward': planForward,
  'nodes/proxy': planProxy,
};
