/** The options of the static CPU policy. Source: kubernetes v1.34 cpumanager `policy_options.go`. */
import { quote } from '../../../shared/kube/text/go-quote.ts';
import { parseGoBool, type ValueFault } from '../config/go-values.ts';
import type { TopologyPolicy } from '../topology/merge-hints.ts';
import type { CpuTopology } from './cpu-topology.ts';

const ALPHA = ['align-by-socket', 'distribute-cpus-across-cores'] as const;
const BETA = [
  'strict-cpu-reservation',
  'distribute-cpus-across-numa',
  'prefer-align-cpus-by-uncorecache',
] as const;
const STABLE = ['full-pcpus-only'] as const;

export type CpuOption = (typeof ALPHA)[number] | (typeof BETA)[number] | (typeof STABLE)[number];

/** The options that are on. */
export type CpuOptions = ReadonlySet<CpuOption>;

/** Gates `CPUManagerPolicyAlphaOptions` and `CPUManagerPolicyBetaOptions`. */
export interface CpuOptionGates {
  readonly alphaOptions: boolean;
  readonly betaOptions: boolean;
}

const has = <Name extends string>(names: readonly Name[], name: string): name is Name =>
  (names as readonly string[]).includes(name);

const isOption = (name: string): name is CpuOption => has([...ALPHA, ...BETA, ...STABLE], name);

const unavailable = (name: string, gates: CpuOptionGates): string | undefined => {
  if (!isOption(name)) return `unknown CPU Manager Policy option: ${quote(name)}`;
  const closed = (level: string): string =>
    `CPU Manager Policy ${level}-level Options not enabled, but option ${quote(name)} provided`;
  if (has(ALPHA, name) && !gates.alphaOptions) return closed('Alpha');
  return has(BETA, name) && !gates.betaOptions ? closed('Beta') : undefined;
};

/** In the order in which they are checked. */
const APART: readonly (readonly [CpuOption, CpuOption])[] = [
  ['full-pcpus-only', 'distribute-cpus-across-cores'],
  ['distribute-cpus-across-numa', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-cores'],
  ['prefer-align-cpus-by-uncorecache', 'distribute-cpus-across-numa'],
];

export const parseCpuOptions = (
  given: Readonly<Record<string, string>>,
  gates: CpuOptionGates,
): CpuOptions | ValueFault => {
  const on = new Set<string>();
  for (const name of Object.keys(given).sort()) {
    const fault = unavailable(name, gates);
    if (fault !== undefined) return { error: fault };
    const value = parseGoBool(given[name] ?? '');
    if (typeof value === 'object') return { error: `bad value for option ${quote(name)}: ${value.error}` };
    if (value) on.add(name);
  }
  const pair = APART.find(([a, b]) => on.has(a) && on.has(b));
  if (pair) return { error: `static policy options ${pair.join(' and ')} can not be used at the same time` };
  return new Set([...on].filter(isOption));
};

/** What is wrong with the options on this machine. Source: `ValidateStaticPolicyOptions`. */
export const cpuOptionsFault = (
  options: CpuOptions,
  { sockets, numaNodes }: CpuTopology,
  topologyPolicy: TopologyPolicy,
): string | undefined => {
  if (!options.has('align-by-socket')) return undefined;
  if (topologyPolicy === 'single-numa-node')
    return 'Topolgy manager single-numa-node policy is incompatible with CPUManager align-by-socket policy option';
  return sockets > numaNodes
    ? 'Align by socket is not compatible with hardware where number of sockets are more than number of NUMA'
    : undefined;
};
