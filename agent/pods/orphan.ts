/** A pod of which only the runtime knows. */

import type { RuntimePod } from '../ports/machine/runtime.ts';
import type { AgentPod } from '../rules/containers/agent-pod.ts';

/** Its containers get the least time to end, for nobody knows how much they were promised. Source: kubernetes v1.34 `SyncTerminatingRuntimePod`. */
export const orphanOf = ({ pod, containers }: RuntimePod): AgentPod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { ...pod },
  spec: {
    restartPolicy: 'Never',
    terminationGracePeriodSeconds: 1,
    containers: [...new Set(containers.map(({ name }) => name))].map((name) => ({ name })),
  },
});
