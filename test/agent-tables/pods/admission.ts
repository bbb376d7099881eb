import { type AdmissionDecision, admitToNode } from '../../../agent/rules/admission/admit-to-node.ts';
import {
  PREEMPTED_MESSAGE,
  PREEMPTING,
  podsToPreempt,
  preemptedStatus,
} from '../../../agent/rules/admission/preemption.ts';
import { rejectedStatus, rejectionEvent } from '../../../agent/rules/admission/rejected-pod.ts';
import { admitSysctls, sysctlAllowlist } from '../../../agent/rules/admission/sysctls.ts';
import { known, NOT_KNOWN } from '../../../agent/rules/known.ts';
import { rejection, type Verdict } from '../../../agent/rules/pods/verdict.ts';
import type { Node, Pod, PodStatus } from '../../../shared/kube/types/core.ts';
import { type Replays, replay } from '../replay.ts';

interface SysctlRow {
  readonly allowed: readonly string[];
  readonly sysctls: readonly string[];
  readonly hostIPC: boolean;
  readonly hostNetwork: boolean;
}

const verdictRow = (verdict: Verdict) => ({ reason: '', message: '', ...verdict });

interface PreemptionRow {
  readonly pod: Pod;
  readonly pods: readonly Pod[];
  readonly insufficient: readonly (readonly [string, number])[];
}

interface AdmissionRow {
  readonly node: Node;
  readonly pod: Pod;
  readonly otherPods: readonly Pod[];
  readonly nodeUnknown?: boolean;
  readonly pluginResourceError?: string;
}

/** A kubelet refuses where the agent waits (D-521). */
const REFUSED_WITHOUT_NODE: AdmissionDecision = {
  verdict: rejection('InvalidNodeInfo', 'Kubelet cannot get node info.'),
  preempt: [],
};

/** Without times, which were not recorded. */
const slimStatus = ({ conditions = [], ...status }: PodStatus) => ({
  ...status,
  conditions: conditions.map(({ type, status: is, reason, message }) => ({
    type,
    status: is,
    reason,
    message,
  })),
});

export const TABLES: Replays = {
  'pod-reject': replay(({ reason, message }: { readonly reason: string; readonly message: string }) => {
    const why = rejection(reason, message);
    const event = rejectionEvent(why);
    return {
      event: [event.type, event.reason, event.message],
      status: rejectedStatus({ spec: {} }, why),
    };
  }),
  'admission-sysctl': replay(({ allowed, sysctls, hostIPC, hostNetwork }: SysctlRow) => {
    const list = sysctlAllowlist(allowed);
    if ('error' in list) return list;
    const securityContext = { sysctls: sysctls.map((name) => ({ name, value: '1' })) };
    return verdictRow(admitSysctls(list, { spec: { hostIPC, hostNetwork, securityContext } }));
  }),
  'admission-preemption': replay(({ pod, pods, insufficient }: PreemptionRow) => {
    const preempted = podsToPreempt(
      pod,
      pods,
      insufficient.map(([resource, missing]) => ({ resource, missing })),
    );
    return 'error' in preempted
      ? { error: preempted.error, preempted: [], remainingReasons: 0 }
      : { error: null, preempted: preempted.map(({ metadata }) => metadata.name), remainingReasons: 0 };
  }),
  'admission-predicates': replay(({ node, otherPods, nodeUnknown, ...given }: AdmissionRow) => {
    const decision = admitToNode({
      ...given,
      node: nodeUnknown ? NOT_KNOWN : known(node),
      others: otherPods,
      os: 'linux',
    });
    const { verdict, preempt } = decision.isKnown ? decision.value : REFUSED_WITHOUT_NODE;
    return {
      ...verdictRow(verdict),
      events: preempt.map(({ metadata: { name: pod } }) => ({
        pod,
        type: 'Warning',
        reason: PREEMPTING,
        message: PREEMPTED_MESSAGE,
      })),
      preempted: preempt.map((pod) => ({
        pod: pod.metadata.name,
        isEvicted: true,
        grace: null,
        status: slimStatus(preemptedStatus(pod, pod.status ?? {}, 0)),
      })),
    };
  }),
};
