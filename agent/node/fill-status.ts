/** Reads what a report needs. What cannot be read is left out of the report, and told. Source: kubernetes v1.34 pkg/kubelet `setNodeStatus`. */
import { quantityOf } from '../../shared/kube/values/quantity.ts';
import type { Quantity } from '../../shared/kube/values/quantity-parse.ts';
import type { Clock } from '../ports/machine/clock.ts';
import type { MachineSource, SystemFacts } from '../ports/machine/machine-source.ts';
import type { NodeFacts, RuntimeFacts } from '../ports/machine/node-facts.ts';
import type { Threshold } from '../rules/eviction/thresholds/threshold.ts';
import { defaultAddress } from '../rules/machine/routes.ts';
import {
  type AddressSettings,
  addressesOf,
  type NodeAddress,
  planAddresses,
  preferredAddress,
} from '../rules/node/addresses.ts';
import type { AmountTexts } from '../rules/node/amounts.ts';
import type { Versions } from '../rules/node/inventory.ts';
import { type MachineReport, machineCapacity } from '../rules/node/machine-info.ts';
import { nodeIpFault } from '../rules/node/node-ip.ts';
import type { ReportedNode } from '../rules/node/reported-status.ts';
import { allocatableReservation, type Reserved } from '../rules/node/reservation.ts';
import { type Serving, withServing } from '../rules/node/serving.ts';
import { type NodeReport, type Readings, reportNode } from '../rules/node-status/node-report.ts';

export interface FillSettings {
  readonly addresses: AddressSettings;
  readonly maxPods: number;
  readonly podsPerCore: number;
  readonly maxImages: number;
  readonly reserved: Reserved;
  readonly thresholds: readonly Threshold[];
  /** Whether the file system of `rootDirectory` counts as a resource of the node. */
  readonly localStorageCapacityIsolation: boolean;
  readonly rootDirectory: string;
  readonly agentVersion: string;
}

export interface FillDeps {
  readonly settings: FillSettings;
  readonly machine: MachineSource;
  readonly facts: NodeFacts;
  readonly clock: Pick<Clock, 'now'>;
  /** The agent's own server; `undefined`: it has none. */
  serving(): Serving | undefined;
  warn(problem: string, error: unknown): void;
}

type Network = Pick<MachineSource, 'interfaces' | 'defaultRoutes' | 'lookUp'>;

interface FoundAddresses {
  /** Absent: those that the Node has stay. */
  readonly addresses?: readonly NodeAddress[];
  /** Absent: those that the Node has stay. */
  readonly annotations?: Readonly<Record<string, string>>;
  readonly error?: string;
}

type FaultOf = (ip: string) => string | undefined;

const orTold = <T>(reading: Promise<T>, problem: string, { warn }: FillDeps): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    warn(problem, error);
    return undefined;
  });

const localStorage = async (deps: FillDeps): Promise<Quantity | undefined> => {
  const { localStorageCapacityIsolation, rootDirectory } = deps.settings;
  if (!localStorageCapacityIsolation) return undefined;
  const size = deps.machine.fileSystem(rootDirectory);
  const known = await orTold(size, `the file system of ${rootDirectory} could not be read`, deps);
  return known && quantityOf(known.capacity, 'BinarySI');
};

type MachineReadings = Omit<MachineReport, 'nodeName'>;

/** What is kept back is a part of what the machine has, so an unknown machine keeps nothing back. */
const readMachine = async (deps: FillDeps): Promise<MachineReadings> => {
  const { maxPods, podsPerCore, reserved, thresholds } = deps.settings;
  const machine = await orTold(deps.machine.machine(), 'the machine could not be read', deps);
  const ephemeralStorage = await localStorage(deps);
  const capacity = new Map(machine ? machineCapacity(machine) : []);
  if (ephemeralStorage) capacity.set('ephemeral-storage', ephemeralStorage);
  const reservation: AmountTexts = allocatableReservation(capacity, reserved, thresholds);
  const limits = { maxPods, podsPerCore, reservation, devices: deps.facts.devices() };
  return { ...limits, ...(machine && { machine }), ...(ephemeralStorage && { ephemeralStorage }) };
};

/** By the Node's name, else by the default route. */
const search = async (
  nodeName: string,
  family: 4 | 6,
  network: Network,
  faultOf: FaultOf,
): Promise<{ readonly address: string } | { readonly error: string }> => {
  const byName = preferredAddress(await network.lookUp(nodeName), family, faultOf);
  if (byName !== undefined) return { address: byName };
  return defaultAddress(await network.defaultRoutes(), network.interfaces(), family);
};

/**
 * What the Node's addresses and annotations are to be. An error leaves the addresses as they are. Source: kubernetes v1.34
 * pkg/kubelet/nodestatus `NodeAddress`.
 */
export const findAddresses = async (
  node: ReportedNode,
  settings: AddressSettings,
  network: Network,
): Promise<FoundAddresses> => {
  const own = network.interfaces().flatMap(({ addresses }) => addresses);
  const faultOf: FaultOf = (ip) => nodeIpFault(ip, own);
  const update = planAddresses(node, settings, faultOf);
  if ('error' in update) return { error: update.error };
  const { plan, annotations } = update;
  const kept = annotations && { annotations };
  if (plan.kind === 'keep') return { ...kept };
  if (plan.kind === 'set') return { ...kept, addresses: plan.addresses };
  const { name } = node.metadata;
  const found = await search(name, plan.family, network, faultOf);
  if ('error' in found)
    return { ...kept, error: `can't get ip address of node ${name}. error: ${found.error}` };
  return { ...kept, addresses: addressesOf([found.address], settings.hostName) };
};

const readAddresses = async (node: ReportedNode, deps: FillDeps): Promise<FoundAddresses> => {
  const finding = findAddresses(node, deps.settings.addresses, deps.machine);
  const found = (await orTold(finding, 'the addresses of the node could not be found', deps)) ?? {};
  if (found.error !== undefined) deps.warn('the addresses of the node stay as they are', found.error);
  return found;
};

const versionsOf = (
  { kernelVersion, osImage }: SystemFacts,
  runtime: RuntimeFacts,
  agentVersion: string,
): Versions => ({
  kernelVersion,
  osImage,
  agentVersion,
  runtimeType: runtime.type,
  ...(runtime.version !== undefined && { runtimeVersion: runtime.version }),
});

const readings = async (node: ReportedNode, system: SystemFacts, deps: FillDeps): Promise<Readings> => {
  const { settings, facts } = deps;
  const found = await readAddresses(node, deps);
  const serving = deps.serving();
  const annotations =
    withServing(found.annotations ?? node.metadata.annotations, serving) ?? found.annotations;
  const runtime = await orTold(facts.runtime(), 'the container runtime does not tell what it is', deps);
  const images = await orTold(facts.images(), 'the images could not be listed', deps);
  const { addresses } = found;
  const { localStorageCapacityIsolation, maxImages, agentVersion } = settings;
  const { supplementalGroupsPolicy } = runtime ?? {};
  return {
    ...(addresses && { addresses }),
    ...(annotations && { annotations }),
    machine: await readMachine(deps),
    ...(runtime && { versions: versionsOf(system, runtime, agentVersion) }),
    platform: { operatingSystem: system.operatingSystem, architecture: system.architecture },
    ...(serving && { endpointPort: serving.port }),
    ...(images && { images }),
    maxImages,
    ...(runtime && { handlers: runtime.handlers }),
    ...(supplementalGroupsPolicy !== undefined && { supplementalGroupsPolicy }),
    health: { ...facts.health(), localStorageCapacityIsolation },
    volumes: facts.volumes(),
  };
};

/** Reads everything anew for each report. The machine's restart is told once, as long as the agent runs. */
export const createFill = (deps: FillDeps): ((node: ReportedNode) => Promise<NodeReport>) => {
  let isRestartTold = false;
  return async (node) => {
    const system = await deps.machine.system();
    const { node: filled, events } = reportNode(node, await readings(node, system, deps), deps.clock.now());
    const fresh = events.filter(({ reason }) => reason !== 'Rebooted' || !isRestartTold);
    isRestartTold ||= events.some(({ reason }) => reason === 'Rebooted');
    return { node: filled, events: fresh };
  };
};
