/**
 * The service account of new pods, which must exist, and the volume of its token. Source: kubernetes v1.34 admission plugin
 * `ServiceAccount`.
 */

import { forbidden } from '../../kube/errors/status-error.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { Pod, PodSpec } from '../../kube/types/core.ts';
import type { IdSource } from '../../ports/process/id-source.ts';
import { liveRow } from '../../ports/store/rows.ts';
import {
  accountNameOf,
  DEFAULT_ACCOUNT,
  limitsSecrets,
  mountsToken,
  type ServiceAccount,
  withPullSecrets,
} from '../../rules/pod-admission/service-account.ts';
import { isMirrorPod } from '../../rules/pods/mirror-pod.ts';
import type { CreateDeps } from '../contract/create-deps.ts';
import { generateName } from '../contract/names.ts';

const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
/** Lifetime of the token (seconds): Kubernetes' own value, a little over an hour. */
const TOKEN_SECONDS = 3607;

interface Mounting {
  readonly volumeMounts?: readonly { readonly mountPath?: string }[];
}

const isMounted = ({ volumeMounts = [] }: Mounting): boolean =>
  volumeMounts.some(({ mountPath }) => mountPath === MOUNT_PATH);

const tokenVolume = (name: string): object => ({
  name,
  projected: {
    sources: [
      { serviceAccountToken: { expirationSeconds: TOKEN_SECONDS, path: 'token' } },
      { configMap: { name: 'kube-root-ca.crt', items: [{ key: 'ca.crt', path: 'ca.crt' }] } },
      {
        downwardAPI: {
          items: [{ path: 'namespace', fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' } }],
        },
      },
    ],
    defaultMode: 0o644,
  },
});

const withMount = (container: Mounting, name: string): Mounting => {
  if (isMounted(container)) return container;
  const mount = { name, readOnly: true, mountPath: MOUNT_PATH };
  return { ...container, volumeMounts: [...(container.volumeMounts ?? []), mount] };
};

const LISTS = ['initContainers', 'containers'] as const;

const containersOf = (spec: PodSpec, list: (typeof LISTS)[number]): readonly Mounting[] =>
  (spec[list] ?? []) as readonly Mounting[];

/** Mounts the token in every container that mounts nothing else at its path. */
const withToken = (spec: PodSpec, ids: IdSource): PodSpec => {
  if (LISTS.every((list) => containersOf(spec, list).every(isMounted))) return spec;
  const volumes = (spec['volumes'] ?? []) as readonly { readonly name?: string }[];
  const given = volumes.find((volume) => volume.name?.startsWith(VOLUME_PREFIX))?.name;
  const name = given ?? generateName(VOLUME_PREFIX, ids);
  const lists = LISTS.filter((list) => spec[list] !== undefined).map((list) => [
    list,
    containersOf(spec, list).map((container) => withMount(container, name)),
  ]);
  const mounted = { ...spec, ...Object.fromEntries(lists) };
  return given === undefined ? { ...mounted, volumes: [...volumes, tokenVolume(name)] } : mounted;
};

/** The pod with the name of its account, the account's pull secrets and, unless pod or account forbid it, its token. */
const withAccount = (pod: Pod, account: ServiceAccount, ids: IdSource): Pod => {
  const name = accountNameOf(pod);
  const spec: PodSpec = { ...pod.spec, serviceAccountName: name, serviceAccount: name };
  const named = { ...pod, spec: mountsToken(pod, account) ? withToken(spec, ids) : spec };
  return withPullSecrets(named, account);
};

/**
 * `undefined`: there is no account of that name. With controllers every namespace has the default account, which may only not be stored
 * yet: it counts as there, so that a pod can follow its namespace at once.
 */
const readAccount = async (
  pod: Pod,
  { objects, controllers }: CreateDeps,
): Promise<ServiceAccount | undefined> => {
  const [name, namespace] = [accountNameOf(pod), pod.metadata.namespace ?? ''];
  const row = liveRow(await objects.read({ resource: 'serviceaccounts', namespace, name }));
  if (row || name !== DEFAULT_ACCOUNT || controllers === 'none') return row?.object;
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
};

const missing = (pod: Pod): string => {
  const name = accountNameOf(pod);
  return `error looking up service account ${pod.metadata.namespace}/${name}: serviceaccount ${quote(name)} not found`;
};

const faultsOf = async (account: ServiceAccount): Promise<(pod: Pod) => string | undefined> => {
  if (!limitsSecrets(account)) return () => undefined;
  const { mountableSecretsFault } = await import('../../rules/pod-admission/mountable-secrets.ts');
  return (pod) => mountableSecretsFault(pod, account);
};

/** Reads the account of a new pod, and resolves to what it does to the pod; that throws 403. Mirror pods have no account. */
export const readAccountOf = async (given: Pod, deps: CreateDeps): Promise<(pod: Pod) => Pod> => {
  if (isMirrorPod(given)) return (pod) => pod;
  const account = await readAccount(given, deps);
  const faultOf = account ? await faultsOf(account) : missing;
  return (pod) => {
    const settled = account ? withAccount(pod, account, deps.ids) : pod;
    const fault = faultOf(settled);
    if (fault) throw forbidden({ resource: 'pods', name: pod.metadata.name }, fault);
    return settled;
  };
};
