/** The Node as this machine would have it. */
import type { Node } from '../../shared/kube/types/core.ts';
import type { AgentSettings } from '../config/agent-settings.ts';
import { createFill, type FillDeps, type FillSettings } from '../node/fill-status.ts';
import type { Platform } from '../rules/node-status/report.ts';
import { ISOLATION_LABEL } from '../rules/pods/isolation.ts';
import { initialNode } from '../rules/registration/initial-node.ts';

export interface NodeSource {
  readonly settings: AgentSettings;
  readonly rootDirectory: string;
  readonly agentVersion: string;
}

const fillSettings = ({ settings, rootDirectory, agentVersion }: NodeSource): FillSettings => {
  const { config, eviction, nodeIps, nodeName, hasExternalCloud } = settings;
  const { systemReserved, kubeReserved, localStorageCapacityIsolation } = config;
  return {
    addresses: { nodeIps, hostName: nodeName, hasExternalCloud },
    maxPods: config.maxPods,
    podsPerCore: config.podsPerCore,
    maxImages: config.nodeStatusMaxImages,
    reserved: { systemReserved: systemReserved ?? {}, kubeReserved: kubeReserved ?? {} },
    thresholds: eviction.thresholds,
    localStorageCapacityIsolation,
    rootDirectory,
    agentVersion,
  };
};

const bareNode = (settings: AgentSettings, { operatingSystem, architecture }: Platform): Node =>
  initialNode({
    nodeName: settings.nodeName,
    hostname: settings.nodeName,
    os: operatingSystem,
    arch: architecture,
    nodeLabels: { ...settings.nodeLabels, [ISOLATION_LABEL]: settings.isolation },
    registerWithTaints: settings.taints,
    providerID: settings.providerID,
    enableControllerAttachDetach: settings.config.enableControllerAttachDetach,
    externalCloudProvider: settings.hasExternalCloud,
  });

/** `fill` brings a Node up to date; `build` makes the one that is registered, with its status. Its events are not told: nobody has seen it. */
export const createOwnNode = (source: NodeSource, deps: Omit<FillDeps, 'settings'>) => {
  const fill = createFill({ ...deps, settings: fillSettings(source) });
  const build = async (): Promise<Node> => {
    const { node } = await fill(bareNode(source.settings, await deps.machine.system()));
    return node;
  };
  return { fill, build };
};
