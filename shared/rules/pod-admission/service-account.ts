/** What the service account of a new pod means for it. Source: kubernetes v1.34 plugin/pkg/admission/serviceaccount. */
import type { Pod } from '../../kube/types/core.ts';
import type { ApiObject } from '../../kube/types/meta.ts';

interface Reference {
  readonly name?: string;
}

/** The fields of a ServiceAccount that matter to pods. */
export interface ServiceAccount extends ApiObject {
  /** The Secrets that its pods may use, if it enforces that. */
  readonly secrets?: readonly Reference[];
  readonly imagePullSecrets?: readonly Reference[];
  readonly automountServiceAccountToken?: boolean;
}

/** The account of pods that name none. Every namespace has it. */
export const DEFAULT_ACCOUNT = 'default';

/** The account that the pod names, else the default one. */
export const accountNameOf = ({ spec }: Pod): string => {
  const name = spec?.['serviceAccountName'];
  return typeof name === 'string' && name !== '' ? name : DEFAULT_ACCOUNT;
};

/** Whether the pod gets the token of its account: the pod decides, else the account; without a word it does. */
export const mountsToken = ({ spec }: Pod, account: ServiceAccount): boolean =>
  (spec['automountServiceAccountToken'] ?? account.automountServiceAccountToken) !== false;

/** The pod with the pull secrets of its account, unless it has its own. */
export const withPullSecrets = (pod: Pod, { imagePullSecrets = [] }: ServiceAccount): Pod => {
  const own = pod.spec['imagePullSecrets'];
  if (imagePullSecrets.length === 0 || (Array.isArray(own) && own.length > 0)) return pod;
  const given = imagePullSecrets.map(({ name = '' }) => ({ name }));
  return { ...pod, spec: { ...pod.spec, imagePullSecrets: given } };
};

const TRUE: readonly unknown[] = ['1', 't', 'T', 'TRUE', 'true', 'True'];

/** Whether pods of the account may only use the Secrets that it names. Its annotation is read as Go reads booleans. */
export const limitsSecrets = ({ metadata }: ServiceAccount): boolean =>
  TRUE.includes(metadata.annotations?.['kubernetes.io/enforce-mountable-secrets']);
