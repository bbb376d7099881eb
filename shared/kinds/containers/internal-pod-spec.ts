/**
 * Formats a Pod's spec as Kubernetes does in the diff of a refused update: as its internal Go types, every field with its
 * Go name.
 * Source: kubernetes v1.34 `pkg/apis/core/types.go`.
 */
import type { PodSpec } from '../../kube/types/core.ts';

/**
 * Fields in the order of the Go types: `Name` is a string, `Name#` a number, `Name!` a bool, `Name?` may be null,
 * `Name:Type` is a struct of another entry, `Name?Type` is such a struct, a list of it, or null.
 */
const TYPES: Readonly<Record<string, string>> = {
  PodSpec:
    'Volumes?Volume InitContainers?Container Containers?Container EphemeralContainers? RestartPolicy TerminationGracePeriodSeconds? ActiveDeadlineSeconds? DNSPolicy NodeSelector? ServiceAccountName AutomountServiceAccountToken? NodeName SecurityContext?PodSecurityContext ImagePullSecrets?Named Hostname Subdomain SetHostnameAsFQDN? Affinity? SchedulerName Tolerations?Toleration HostAliases?HostAlias PriorityClassName Priority? PreemptionPolicy? DNSConfig? ReadinessGates? RuntimeClassName? Overhead? EnableServiceLinks? TopologySpreadConstraints?Spread OS? SchedulingGates?Named ResourceClaims? Resources? HostnameOverride?',
  Container:
    'Name Image Command? Args? WorkingDir Ports?Port EnvFrom? Env?EnvVar Resources:Resources ResizePolicy? RestartPolicy? RestartPolicyRules? VolumeMounts?VolumeMount VolumeDevices? LivenessProbe?Probe ReadinessProbe?Probe StartupProbe?Probe Lifecycle? TerminationMessagePath TerminationMessagePolicy ImagePullPolicy SecurityContext?SecurityContext Stdin! StdinOnce! TTY!',
  Named: 'Name',
  Port: 'Name HostPort# ContainerPort# Protocol HostIP',
  EnvVar: 'Name Value ValueFrom?EnvVarSource',
  EnvVarSource: 'FieldRef?FieldRef ResourceFieldRef? ConfigMapKeyRef?KeyRef SecretKeyRef?KeyRef FileKeyRef?',
  FieldRef: 'APIVersion FieldPath',
  KeyRef: 'Name Key Optional?',
  Resources: 'Limits? Requests? Claims?',
  VolumeMount: 'Name ReadOnly! RecursiveReadOnly? MountPath SubPath MountPropagation? SubPathExpr',
  Probe:
    'Exec? HTTPGet?HTTPGet TCPSocket? GRPC? InitialDelaySeconds# TimeoutSeconds# PeriodSeconds# SuccessThreshold# FailureThreshold# TerminationGracePeriodSeconds?',
  HTTPGet: 'Path Port# Host Scheme HTTPHeaders?',
  SecurityContext:
    'Capabilities?Capabilities Privileged? SELinuxOptions? WindowsOptions? RunAsUser? RunAsGroup? RunAsNonRoot? ReadOnlyRootFilesystem? AllowPrivilegeEscalation? ProcMount? SeccompProfile? AppArmorProfile?',
  Capabilities: 'Add? Drop?',
  PodSecurityContext:
    'HostNetwork! HostPID! HostIPC! ShareProcessNamespace? HostUsers? SELinuxOptions? WindowsOptions? RunAsUser? RunAsGroup? RunAsNonRoot? SupplementalGroups? SupplementalGroupsPolicy? FSGroup? FSGroupChangePolicy? Sysctls? SeccompProfile? AppArmorProfile? SELinuxChangePolicy?',
  Toleration: 'Key Operator Value Effect TolerationSeconds?',
  HostAlias: 'IP Hostnames?',
  Spread:
    'MaxSkew# TopologyKey WhenUnsatisfiable LabelSelector? MinDomains? NodeAffinityPolicy? NodeTaintsPolicy? MatchLabelKeys?',
  Volume:
    'Name HostPath?HostPath EmptyDir?EmptyDir GCEPersistentDisk? AWSElasticBlockStore? GitRepo? Secret?SecretSource NFS? ISCSI? Glusterfs? PersistentVolumeClaim? RBD? Quobyte? FlexVolume? Cinder? CephFS? Flocker? DownwardAPI?DownwardAPI FC? AzureFile? ConfigMap?ConfigMapSource VsphereVolume? AzureDisk? PhotonPersistentDisk? Projected?Projected PortworxVolume? ScaleIO? StorageOS? CSI? Ephemeral? Image?',
  HostPath: 'Path Type?',
  EmptyDir: 'Medium SizeLimit?',
  SecretSource: 'SecretName Items?KeyToPath DefaultMode? Optional?',
  ConfigMapSource: 'Name Items?KeyToPath DefaultMode? Optional?',
  KeyToPath: 'Key Path Mode?',
  DownwardAPI: 'Items?DownwardAPIFile DefaultMode?',
  DownwardAPIFile: 'Path FieldRef?FieldRef ResourceFieldRef? Mode?',
  Projected: 'Sources?ProjectedSource DefaultMode?',
  ProjectedSource:
    'Secret?ConfigMapProjection DownwardAPI?DownwardAPIProjection ConfigMap?ConfigMapProjection ServiceAccountToken?TokenProjection ClusterTrustBundle? PodCertificate?',
  ConfigMapProjection: 'Name Items?KeyToPath Optional?',
  DownwardAPIProjection: 'Items?DownwardAPIFile',
  TokenProjection: 'Audience ExpirationSeconds# Path',
};

type Fields = Readonly<Record<string, unknown>>;

interface Field {
  readonly name: string;
  readonly kind: string;
  readonly type: string;
}

const fieldsOf = (type: string): readonly Field[] =>
  (TYPES[type] ?? '').split(' ').flatMap((text) => {
    const [, name = '', kind = '', inner = ''] = /^(\w+)([#!?:]?)(\w*)$/.exec(text) ?? [];
    return name === '' ? [] : [{ name, kind, type: inner }];
  });

const ABBREVIATED: Readonly<Record<string, string>> = { cephFS: 'cephfs', storageOS: 'storageos' };

/**
 * Converts a Go name to JSON: `DNSPolicy` → `dnsPolicy`, `HTTPGet` → `httpGet`, `TTY` → `tty`, `NodeName` → `nodeName`.
 */
const wireName = (name: string): string => {
  const start = /^(?:SELinux|[A-Z]+(?=[A-Z][a-z])|[A-Z]+$|[A-Z])/.exec(name)?.[0] ?? '';
  const lower = start === 'SELinux' ? 'seLinux' : start.toLowerCase();
  const wire = lower + name.slice(start.length);
  return ABBREVIATED[wire] ?? wire;
};

const emptyOf = ({ kind, type }: Field): unknown => {
  if (kind === '?') return null;
  if (kind === ':') return printed({}, type);
  if (kind === '#') return 0;
  return kind === '!' ? false : '';
};

const capitalized = (name: string): string => name.slice(0, 1).toUpperCase() + name.slice(1);

const isFields = (value: unknown): value is Fields => typeof value === 'object' && value !== null;

// Maps keep their keys. A struct without an entry in `TYPES` shows only the fields that are set.
const MAPS: readonly string[] = ['NodeSelector', 'Limits', 'Requests', 'Overhead', 'MatchLabels'];

const untyped = (value: unknown, name: string): unknown => {
  if (Array.isArray(value)) return value.map((element) => untyped(element, name));
  if (!isFields(value) || MAPS.includes(name)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) => [capitalized(key), untyped(inner, capitalized(key))]),
  );
};

const printedValue = (value: unknown, field: Field): unknown => {
  if (value === undefined || value === null) return emptyOf(field);
  if (field.type === '') return untyped(value, field.name);
  if (Array.isArray(value)) return value.map((element: Fields) => printed(element, field.type));
  return printed(value as Fields, field.type);
};

const printed = (value: Fields, type: string): Fields =>
  Object.fromEntries(
    fieldsOf(type).map((field) => [field.name, printedValue(value[wireName(field.name)], field)]),
  );

const HOST_FIELDS = ['hostNetwork', 'hostPID', 'hostIPC', 'shareProcessNamespace', 'hostUsers'] as const;

/** Formats a container's security context for a message. */
export const printedSecurityContext = (context: object): Fields =>
  printed(context as Fields, 'SecurityContext');

/** Formats the spec as indented JSON. */
export const printedPodSpec = (spec: PodSpec): string => {
  const host = Object.fromEntries(HOST_FIELDS.map((field) => [field, spec[field]]));
  const securityContext = { ...(spec['securityContext'] as Fields | undefined), ...host };
  return JSON.stringify(printed({ ...spec, securityContext }, 'PodSpec'), null, 1);
};
