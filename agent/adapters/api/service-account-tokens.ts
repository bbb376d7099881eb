/** Tokens of service accounts that are bound to a pod. */
import { parseTime } from '../../../shared/api/time.ts';
import type { ServiceAccountTokens } from '../../ports/service-account-tokens.ts';
import { type ApiSession, bodyOf } from './session.ts';

interface Answered {
  readonly status: { readonly token: string; readonly expirationTimestamp: string };
}

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
    const { token, expirationTimestamp } = bodyOf<Answered>(answer).status;
    return { token, expiresAt: parseTime(expirationTimestamp) ?? 0 };
  },
});
