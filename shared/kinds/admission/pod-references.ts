/**
 * Objects that a pod's spec refers to. Source: kubernetes v1.34 `pkg/api/pod` visitors and the node authorizer's
 * graph.
 */
import type { Pod } from '../../kube/types/core.ts';
import { isMirrorPod } from '../../rules/pods/mirror-pod.ts';

/** Names of the referenced objects, all in the pod's namespace. */
export interface PodReferences {
  readonly secrets: ReadonlySet<string>;
  readonly configMaps: ReadonlySet<string>;
  readonly claims: ReadonlySet<string>;
  readonly resourceClaims: ReadonlySet<string>;
  readonly trustBundles: boolean;
  /** Whether a volume projects a token of a service account. */
  readonly serviceAccountTokens: boolean;
  readonly serviceAccount: string | undefined;
}

/** A part of the spec as the client sent it: it may hold anything that the schema accepts. */
type Part = Readonly<Record<string, unknown>>;

const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

const partsOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(partOf) : []);

const within = (part: unknown, ...path: readonly string[]): unknown =>
  path.reduce<unknown>((value, key) => partOf(value)[key], part);

/** Paths within a volume that hold the name of a Secret. */
const SECRET_PATHS: readonly (readonly string[])[] = [
  ['secret', 'secretName'],
  ['azureFile', 'secretName'],
  ['cephfs', 'secretRef', 'name'],
  ['cinder', 'secretRef', 'name'],
  ['flexVolume', 'secretRef', 'name'],
  ['rbd', 'secretRef', 'name'],
  ['scaleIO', 'secretRef', 'name'],
  ['iscsi', 'secretRef', 'name'],
  ['storageos', 'secretRef', 'name'],
  ['csi', 'nodePublishSecretRef', 'name'],
];

const namesIn = (values: readonly unknown[]): ReadonlySet<string> =>
  new Set(values.filter((value): value is string => typeof value === 'string' && value !== ''));

const secretsOf = (spec: Part, volumes: readonly Part[], sources: readonly Part[], env: readonly Part[]) =>
  namesIn([
    ...partsOf(spec['imagePullSecrets']).map(({ name }) => name),
    ...volumes.flatMap((volume) => SECRET_PATHS.map((path) => within(volume, ...path))),
    ...sources.map((source) => within(source, 'secret', 'name')),
    ...env.flatMap((one) => [
      within(one, 'valueFrom', 'secretKeyRef', 'name'),
      within(one, 'secretRef', 'name'),
    ]),
  ]);

const configMapsOf = (volumes: readonly Part[], sources: readonly Part[], env: readonly Part[]) =>
  namesIn([
    ...[...volumes, ...sources].map((source) => within(source, 'configMap', 'name')),
    ...env.flatMap((one) => [
      within(one, 'valueFrom', 'configMapKeyRef', 'name'),
      within(one, 'configMapRef', 'name'),
    ]),
  ]);

// A claim made for an ephemeral volume is named `<pod>-<volume>`.
const claimsOf = (pod: Pod, volumes: readonly Part[]) =>
  namesIn(
    volumes.map((volume) =>
      volume['ephemeral'] === undefined
        ? within(volume, 'persistentVolumeClaim', 'claimName')
        : `${pod.metadata.name}-${String(volume['name'])}`,
    ),
  );

const resourceClaimsOf = (spec: Part) =>
  namesIn(
    partsOf(spec['resourceClaims']).map((claim) => claim['resourceClaimName'] ?? claim['name'] ?? 'unnamed'),
  );

/** All objects that the pod's spec refers to. */
export const referencesOf = (pod: Pod): PodReferences => {
  const spec = partOf(pod.spec);
  const volumes = partsOf(spec['volumes']);
  const sources = volumes.flatMap((volume) => partsOf(within(volume, 'projected', 'sources')));
  const containers = ['initContainers', 'containers', 'ephemeralContainers'].flatMap((list) =>
    partsOf(spec[list]),
  );
  const env = containers.flatMap((one) => [...partsOf(one['env']), ...partsOf(one['envFrom'])]);
  const account = spec['serviceAccountName'];
  return {
    secrets: secretsOf(spec, volumes, sources, env),
    configMaps: configMapsOf(volumes, sources, env),
    claims: claimsOf(pod, volumes),
    resourceClaims: resourceClaimsOf(spec),
    trustBundles: sources.some((source) => source['clusterTrustBundle'] !== undefined),
    serviceAccountTokens: sources.some((source) => source['serviceAccountToken'] !== undefined),
    serviceAccount: typeof account === 'string' && account !== '' ? account : undefined,
  };
};

/**
 * Whether one of the node's pods in that namespace refers to the object. Mirror pods are ignored: they give no
 * access.
 */
export const refersTo = (
  pods: readonly Pod[],
  namespace: string,
  names: (references: PodReferences) => boolean,
): boolean =>
  pods.some((pod) => pod.metadata.namespace === namespace && !isMirrorPod(pod) && names(referencesOf(pod)));
