import { rejectedStatus, rejectionEvent } from '../../agent/domain/admission/rejected-pod.ts';
import { admitSysctls, sysctlAllowlist } from '../../agent/domain/admission/sysctls.ts';
import { rejection, type Verdict } from '../../agent/domain/admission/verdict.ts';
import { type Replays, replay } from './replay.ts';

interface SysctlRow {
  readonly allowed: readonly string[];
  readonly sysctls: readonly string[];
  readonly hostIPC: boolean;
  readonly hostNetwork: boolean;
}

const verdictRow = (verdict: Verdict) => ({ reason: '', message: '', ...verdict });

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
};
