/** The Node that the agent creates, without its status. Source: kubernetes v1.34 pkg/kubelet `initialNode`. */
import type { Node, Taint } from '../../../shared/kube/types/core.ts';
import {
  LABEL_ARCH,
  LABEL_ARCH_BETA,
  LABEL_HOSTNAME,
  LABEL_OS,
  LABEL_OS_BETA,
  TAINT_UNINITIALIZED,
} from '../../../shared/kube/types/well-known.ts';

/** Says that the control plane attaches volumes, not the agent. */
export const ANNOTATION_CONTROLLER_MANAGED_ATTACH = 'volumes.kubernetes.io/controller-managed-attach-detach';

/** What an agent says about its Node. */
export interface Registration {
  readonly nodeName: string;
  readonly hostname: string;
  /** As in Go: `linux`. */
  readonly os: string;
  /** As in Go: `amd64`. */
  readonly arch: string;
  /** From `--node-labels`. They win over the labels of the machine. */
  readonly nodeLabels: Readonly<Record<string, string>>;
  readonly registerWithTaints: readonly Taint[];
  /** `''`: none. */
  readonly providerID: string;
  readonly enableControllerAttachDetach: boolean;
  /** A cloud controller initializes the Node, and takes off the taint that keeps pods away until then. */
  readonly externalCloudProvider: boolean;
}

const labelsOf = ({ hostname, os, arch, nodeLabels }: Registration) => ({
  [LABEL_HOSTNAME]: hostname,
  [LABEL_OS]: os,
  [LABEL_ARCH]: arch,
  [LABEL_OS_BETA]: os,
  [LABEL_ARCH_BETA]: arch,
  ...nodeLabels,
});

const UNINITIALIZED: Taint = { key: TAINT_UNINITIALIZED, value: 'true', effect: 'NoSchedule' };

export const initialNode = (given: Registration): Node => {
  const taints = [...given.registerWithTaints, ...(given.externalCloudProvider ? [UNINITIALIZED] : [])];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      name: given.nodeName,
      labels: labelsOf(given),
      ...(given.enableControllerAttachDetach && {
        annotations: { [ANNOTATION_CONTROLLER_MANAGED_ATTACH]: 'true' },
      }),
    },
    spec: {
      ...(taints.length > 0 && { taints }),
      ...(given.providerID !== '' && { providerID: given.providerID }),
    },
  };
};
