/**
 * Adds the default service account and its token volume to pods. Source: kubernetes v1.34 admission plugin
 * `ServiceAccount`.
 */
import type { Pod, PodSpec } from '../../api/core.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { isMirrorPod } from '../access/pod-references.ts';
import { generateName } from '../request/names.ts';

const ACCOUNT = 'default';
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
  const name = generateName(VOLUME_PREFIX, ids);
  const lists = LISTS.filter((list) => spec[list] !== undefined).map((list) => [
    list,
    containersOf(spec, list).map((container) => withMount(container, name)),
  ]);
  const volumes = (spec['volumes'] ?? []) as readonly object[];
  return { ...spec, ...Object.fromEntries(lists), volumes: [...volumes, tokenVolume(name)] };
};

/**
 * The pod with a service account (`default` unless it names one) and, unless `automountServiceAccountToken` is false,
 * with the volume of its token. Mirror pods are returned unchanged.
 */
export const addServiceAccount = (pod: Pod, ids: IdSource): Pod => {
  if (isMirrorPod(pod)) return pod;
  const spec: PodSpec = { serviceAccountName: ACCOUNT, serviceAccount: ACCOUNT, ...pod.spec };
  return { ...pod, spec: spec['automountServiceAccountToken'] === false ? spec : withToken(spec, ids) };
};
