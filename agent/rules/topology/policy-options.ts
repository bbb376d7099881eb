/** How the topology manager is set up. Source: kubernetes v1.34 topologymanager `policy_options.go`, `topology_manager.go`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { parseGoBool, parseGoInt, type ValueFault } from '../config/go-values.ts';
import type { TopologyPolicy } from './merge-hints.ts';
import type { NumaDistances, NumaInfo } from './numa-info.ts';

/** The number of sets of nodes doubles with each node. */
const MOST_NODES = 8;

const CLOSEST = 'prefer-closest-numa-nodes';
const MOST = 'max-allowable-numa-nodes';

interface Options {
  readonly prefersClosest: boolean;
  readonly mostNodes: number;
}

export type TopologyScope = 'none' | 'container' | 'pod';

export interface TopologySetup {
  readonly policy: TopologyPolicy;
  readonly scope: TopologyScope;
  readonly numa: NumaInfo;
}

export interface TopologyRequest {
  readonly policy: string;
  readonly scope: string;
  readonly options: Readonly<Record<string, string>>;
  readonly nodes: readonly number[];
  /** Absent: the machine does not say them. */
  readonly distances?: NumaDistances;
  /** Gate `TopologyManagerPolicyBetaOptions`. */
  readonly betaOptions: boolean;
}

const closestOf = (text: string): boolean | ValueFault => {
  const value = parseGoBool(text);
  return typeof value === 'object'
    ? { error: `bad value for option ${quote(CLOSEST)}: ${value.error}` }
    : value;
};

const mostOf = (text: string): number | ValueFault => {
  const value = parseGoInt(text);
  if (typeof value === 'object')
    return { error: `unable to convert policy option to integer ${quote(MOST)}: ${value.error}` };
  return value < MOST_NODES
    ? { error: `the minimum value of ${quote(MOST)} should not be less than ${MOST_NODES}` }
    : value;
};

const unavailable = (name: string, betaOptions: boolean): ValueFault | undefined => {
  if (name !== CLOSEST && name !== MOST)
    return { error: `unknown Topology Manager Policy option: ${quote(name)}` };
  return name === MOST && !betaOptions
    ? { error: `topology manager policy beta-level options not enabled, but option ${quote(name)} provided` }
    : undefined;
};

const optionsOf = ({ options, betaOptions }: TopologyRequest): Options | ValueFault => {
  const closest = closestOf(options[CLOSEST] ?? 'false');
  const most = mostOf(options[MOST] ?? String(MOST_NODES));
  for (const name of Object.keys(options).sort()) {
    const fault = unavailable(name, betaOptions);
    if (fault) return fault;
    if (name === CLOSEST && typeof closest === 'object') return closest;
    if (name === MOST && typeof most === 'object') return most;
  }
  return { prefersClosest: closest === true, mostNodes: Number(most) };
};

const POLICIES: readonly string[] = ['best-effort', 'restricted', 'single-numa-node'];
const SCOPES: readonly string[] = ['container', 'pod'];

const isPolicy = (name: string): name is TopologyPolicy => POLICIES.includes(name);
const isScope = (name: string): name is TopologyScope => SCOPES.includes(name);

/** With policy `none` nothing else is looked at. */
export const topologySetup = (request: TopologyRequest): TopologySetup | ValueFault => {
  const { policy, scope, nodes, distances } = request;
  if (policy === 'none') return { policy, scope: 'none', numa: { nodes } };
  const options = optionsOf(request);
  if ('error' in options) return options;
  const { prefersClosest, mostNodes } = options;
  if (prefersClosest && !distances)
    return { error: 'cannot discover NUMA topology: error getting NUMA distances from cadvisor' };
  if (nodes.length > mostNodes)
    return { error: `unsupported on machines with more than ${mostNodes} NUMA Nodes` };
  if (!isPolicy(policy)) return { error: `unknown policy: "${policy}"` };
  if (!isScope(scope)) return { error: `unknown scope: "${scope}"` };
  return { policy, scope, numa: { nodes, ...(prefersClosest && distances && { distances }) } };
};
