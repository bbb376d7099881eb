/** Tokens of service accounts that are bound to a pod. */
import { parseTime } from '../../../shared/kube/values/time.ts';
import type { ServiceAccountTokens } from '../../ports/api/service-account-tokens.ts';
import { type ApiSession, bodyOf } from './session.ts';

interface Answered {
  readonly metadata?: { readonly creationTimestamp?: string };
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

/** By the clock of the API, which may be another one than the machine's. Without its instants, what was asked for. */
const lifeOf = ({ metadata, status }: Answered, askedMs: number): number => {
  const from = parseTime(metadata?.creationTimestamp ?? '');
  const to = parseTime(status.expirationTimestamp);
  return from === undefined || to === undefined || to <= from ? askedMs : to - from;
};

export const createServiceAccountTokens = ({
  request,
}: Pick<ApiSession, 'request'>): ServiceAccountTokens => ({
  request: async ({ pod, serviceAccount, audience, expirationSeconds }) => {
    const account = `${encodeURIComponent(pod.namespace)}/serviceaccounts/${encodeURIComponent(serviceAccount)}`;
    const body = {
      apiVersion: 'authentication.k8s.io/v1',
      kind: 'TokenRequest',
      spec: {
        ...(audience === undefined ? {} : { audiences: [audience] }),
        expirationSeconds,
        boundObjectRef: { apiVersion: 'v1', kind: 'Pod', name: pod.name, uid: pod.uid },
      },
    };
    const answer = await request('POST', `/api/v1/namespaces/${account}/token`, { body });
    const answered = bodyOf<Answered>(answer);
    return { token: answered.status.token, lifeMs: lifeOf(answered, expirationSeconds * 1000) };
  },
});
