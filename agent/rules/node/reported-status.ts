/** The parts of a Node's status that its agent writes. Source: kubernetes v1.34 `core/v1` `NodeStatus`. */
import type { Node, NodeStatus } from '../../../shared/kube/types/core.ts';

export interface NodeSystemInfo {
  readonly machineID: string;
  readonly systemUUID: string;
  readonly bootID: string;
  readonly kernelVersion: string;
  readonly osImage: string;
  readonly containerRuntimeVersion: string;
  readonly kubeletVersion: string;
  readonly kubeProxyVersion: string;
  readonly operatingSystem: string;
  readonly architecture: string;
  /** `capacity` in bytes; absent on a machine without swap. */
  readonly swap?: { readonly capacity?: number };
}

export interface ContainerImage {
  readonly names: readonly string[];
  readonly sizeBytes: number;
}

export interface NodeRuntimeHandler {
  readonly name: string;
  readonly features: { readonly recursiveReadOnlyMounts: boolean; readonly userNamespaces: boolean };
}

export interface ReportedStatus extends NodeStatus {
  readonly nodeInfo?: Partial<NodeSystemInfo>;
  readonly images?: readonly ContainerImage[];
  readonly volumesInUse?: readonly string[];
  readonly runtimeHandlers?: readonly NodeRuntimeHandler[];
  readonly daemonEndpoints?: { readonly kubeletEndpoint?: { readonly Port: number } };
}

export interface ReportedNode extends Node {
  readonly status?: ReportedStatus;
}

/** An Event about the Node that the agent is to record. */
export interface NodeEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly message: string;
}
