/**
 * Whether a pod uses only Secrets that its account names. Source: kubernetes v1.34 plugin/pkg/admission/serviceaccount
 * `limitSecretReferences`.
 */
import type { Pod } from '../../kube/types/core.ts';
import type { ServiceAccount } from './service-account.ts';

interface Named {
  readonly name?: string;
}

/** The parts of the pod's spec that can refer to a Secret and that an account can limit. */
interface Spec {
  readonly volumes?: readonly { readonly secret?: { readonly secretName?: string } }[];
  readonly initContainers?: readonly Container[];
  readonly containers?: readonly Container[];
  readonly imagePullSecrets?: readonly Named[];
}

interface Container extends Named {
  readonly env?: readonly (Named & { readonly valueFrom?: { readonly secretKeyRef?: Named } })[];
  readonly envFrom?: readonly { readonly secretRef?: Named }[];
}

/** A Secret, and how the message calls the place that refers to it. */
interface Use {
  readonly secret: string;
  readonly place: string;
}

const useOf = (secret: string | undefined, place: string): readonly Use[] =>
  secret === undefined ? [] : [{ secret, place }];

const usesOf = (kind: string, { name = '', env = [], envFrom = [] }: Container): readonly Use[] => [
  ...env.flatMap((one) =>
    useOf(
      one.valueFrom?.secretKeyRef && (one.valueFrom.secretKeyRef.name ?? ''),
      `${kind} ${name} with envVar ${one.name ?? ''} referencing`,
    ),
  ),
  ...envFrom.flatMap(({ secretRef }) =>
    useOf(secretRef && (secretRef.name ?? ''), `${kind} ${name} with envFrom referencing`),
  ),
];

const secretFault = (spec: Spec, { metadata, secrets = [] }: ServiceAccount): string | undefined => {
  const allowed = new Set(secrets.map(({ name }) => name));
  const uses = [
    ...(spec.volumes ?? []).flatMap(({ secret }) =>
      useOf(secret && (secret.secretName ?? ''), 'volume with'),
    ),
    ...(spec.initContainers ?? []).flatMap((one) => usesOf('init container', one)),
    ...(spec.containers ?? []).flatMap((one) => usesOf('container', one)),
  ];
  const wrong = uses.find(({ secret }) => !allowed.has(secret));
  return (
    wrong &&
    `${wrong.place} secret.secretName="${wrong.secret}" is not allowed because service account ${metadata.name} does not reference that secret`
  );
};

const pullSecretFault = (spec: Spec, account: ServiceAccount): string | undefined => {
  const allowed = new Set((account.imagePullSecrets ?? []).map(({ name }) => name));
  const own = spec.imagePullSecrets ?? [];
  const index = own.findIndex(({ name }) => !allowed.has(name));
  return index < 0
    ? undefined
    : `imagePullSecrets[${index}].name="${own[index]?.name ?? ''}" is not allowed because service account ${account.metadata.name} does not reference that imagePullSecret`;
};

/** Why a pod of an account that limits Secrets is refused; `undefined`: it uses only those that the account names. */
export const mountableSecretsFault = (pod: Pod, account: ServiceAccount): string | undefined => {
  const spec = pod.spec as Spec;
  return secretFault(spec, account) ?? pullSecretFault(spec, account);
};
