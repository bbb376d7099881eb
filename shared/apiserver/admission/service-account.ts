/** What a pod gets so that it can talk to the API. Source: kubernetes v1.34 admission plugin `ServiceAccount`. */
import type { Pod, PodSpec } from '../../api/core.ts';
import type { IdSource } from '../../ports/id-source.ts';
import { isMirrorPod } from '../access/pod-references.ts';
import { generateName } from '../request/names.ts';

const ACCOUNT = 'default';
const MOUNT_PATH = '/var/run/secrets/kubernetes.io/serviceaccount';
const VOLUME_PREFIX = 'kube-api-access-';
/** Seconds; an hour and a few, so that a token is renewed before it ends. */
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

/** The token in every container that has nothing of its own in its place. */
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

/** Mirror pods have no service account. */
export const addServiceAccount = (pod: Pod, ids: IdSource): Pod => {
  if (isMirrorPod(pod)) return pod;
  const spec: PodSpec = { serviceAccountName: ACCOUNT, serviceAccount: ACCOUNT, ...pod.spec };
  return { ...pod, spec: spec['automountServiceAccountToken'] === false ? spec : withToken(spec, ids) };
};
