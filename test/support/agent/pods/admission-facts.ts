/** A node on which nothing speaks against a pod. */

import type { AdmissionFacts } from '../../../../agent/pods/admit-pods.ts';
import { sysctlAllowlist } from '../../../../agent/rules/admission/sysctls.ts';
import { known } from '../../../../agent/rules/known.ts';

const sysctls = sysctlAllowlist([]);
if ('error' in sysctls) throw new Error(sysctls.error);

export const QUIET_NODE: ReturnType<AdmissionFacts> = {
  node: known({
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name: 'n1', labels: { 'kubernetes.io/os': 'linux' } },
    spec: {},
    status: { allocatable: { cpu: '4', memory: '8Gi', pods: '110' } },
  }),
  os: 'linux',
  pressure: [],
  sysctls,
  hasAppArmor: true,
  shutdown: { admit: true },
};
