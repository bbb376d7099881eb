/**
 * Fields of a pod that this agent cannot honour, and without which the pod would not be what its author wants: less safe, or broken. A
 * container of such a pod is not started. docs/pods-on-a-machine.md has all fields.
 */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import type { Isolation } from './isolation.ts';

/** A part of a specification as the API has it. */
type Part = Readonly<Record<string, unknown>>;

/** What the pod asks for; `undefined`: nothing. */
type Asked = string | undefined;

interface Refusal {
  /** Below `spec`, or below a container. */
  readonly field: string;
  readonly asked: (part: Part) => Asked;
  /** Why it cannot be had. */
  readonly why: string;
  /** Where it cannot be had; absent: nowhere. */
  readonly refusedBy?: readonly Isolation[];
}

const partOf = (value: unknown): Part =>
  typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Part) : {};

const partsOf = (value: unknown): readonly Part[] => (Array.isArray(value) ? value.map(partOf) : []);

const contextOf = (part: Part): Part => partOf(part['securityContext']);

const text = (value: unknown): Asked => (typeof value === 'string' && value !== '' ? value : undefined);

const several = (value: unknown): Asked =>
  Array.isArray(value) && value.length > 0 ? `${value.length}` : undefined;

const isSet = (value: unknown): Asked => (value === true ? 'true' : undefined);

const seccomp = (part: Part): Asked => {
  const type = text(partOf(contextOf(part)['seccompProfile'])['type']);
  return type === 'Localhost' ? type : undefined;
};

const selinux = (part: Part): Asked => {
  const options = Object.values(partOf(contextOf(part)['seLinuxOptions'])).filter(Boolean);
  return options.length === 0 ? undefined : options.join(':');
};

const mountWith =
  (field: string, value: string) =>
  (part: Part): Asked =>
    partsOf(part['volumeMounts']).some((mount) => mount[field] === value) ? value : undefined;

const FILTERED = 'there are no profiles of the machine here; set the type RuntimeDefault or Unconfined';
const LABELLED = 'processes get no SELinux label here';
const OWN_NAMES = 'containers use the name resolution of the machine';
const WITHOUT_CRI: readonly Isolation[] = ['processes', 'oci'];
const NO_DEVICES = 'there are no device drivers here';

const OF_PODS: readonly Refusal[] = [
  {
    field: 'hostUsers',
    asked: ({ hostUsers }) => (hostUsers === false ? 'false' : undefined),
    why: 'there are no user namespaces here',
  },
  {
    field: 'runtimeClassName',
    asked: (spec) => text(spec['runtimeClassName']),
    why: 'there is one runtime here, which has no classes',
    refusedBy: WITHOUT_CRI,
  },
  {
    field: 'securityContext.sysctls',
    asked: (spec) => several(contextOf(spec)['sysctls']),
    why: 'containers share the kernel parameters of the machine',
    refusedBy: WITHOUT_CRI,
  },
  { field: 'resourceClaims', asked: (spec) => several(spec['resourceClaims']), why: NO_DEVICES },
  {
    field: 'dnsPolicy',
    asked: ({ dnsPolicy }) => (dnsPolicy === 'None' ? 'None' : undefined),
    why: OWN_NAMES,
    refusedBy: WITHOUT_CRI,
  },
  {
    field: 'dnsConfig',
    asked: (spec) => (Object.keys(partOf(spec['dnsConfig'])).length === 0 ? undefined : 'a configuration'),
    why: OWN_NAMES,
    refusedBy: WITHOUT_CRI,
  },
  {
    field: 'hostAliases',
    asked: (spec) => several(spec['hostAliases']),
    why: OWN_NAMES,
    refusedBy: WITHOUT_CRI,
  },
  {
    field: 'shareProcessNamespace',
    asked: (spec) => isSet(spec['shareProcessNamespace']),
    why: 'each container has a process namespace of its own; set hostPID to see those of the machine',
    refusedBy: ['oci'],
  },
  {
    field: 'setHostnameAsFQDN',
    asked: (spec) => isSet(spec['setHostnameAsFQDN']),
    why: 'the domain of the pod has no name service here',
  },
];

const OF_CONTAINERS: readonly Refusal[] = [
  {
    field: 'volumeDevices',
    asked: (one) => several(one['volumeDevices']),
    why: 'block volumes cannot be had here',
  },
  {
    field: 'volumeMounts.mountPropagation',
    asked: mountWith('mountPropagation', 'Bidirectional'),
    why: 'mounts of a container stay in it',
    refusedBy: ['processes'],
  },
  {
    field: 'volumeMounts.recursiveReadOnly',
    asked: mountWith('recursiveReadOnly', 'Enabled'),
    why: 'what is mounted below a read-only mount can be written to; set IfPossible',
  },
  {
    field: 'resources.claims',
    asked: ({ resources }) => several(partOf(resources)['claims']),
    why: NO_DEVICES,
  },
  {
    field: 'restartPolicyRules',
    asked: (one) => several(one['restartPolicyRules']),
    why: 'containers are restarted by restartPolicy alone',
  },
  {
    field: 'env.valueFrom.fileKeyRef',
    asked: ({ env }) =>
      partsOf(env).flatMap(({ valueFrom }) => text(partOf(partOf(valueFrom)['fileKeyRef'])['key']) ?? [])[0],
    why: 'variables cannot be read from files here',
  },
];

/** Of the pod, unless the container says otherwise. */
const OF_EITHER: readonly Refusal[] = [
  { field: 'securityContext.seccompProfile', asked: seccomp, why: FILTERED, refusedBy: ['processes'] },
  { field: 'securityContext.seLinuxOptions', asked: selinux, why: LABELLED, refusedBy: WITHOUT_CRI },
];

const isRefusedBy = ({ refusedBy }: Refusal, isolation: Isolation): boolean =>
  refusedBy?.includes(isolation) ?? true;

const namesOf = (refusals: readonly Refusal[], isolation: Isolation): readonly string[] =>
  refusals.filter((one) => isRefusedBy(one, isolation)).map(({ field }) => field);

/** All fields that can be refused where containers are processes: below `spec`, and below a container. */
export const REFUSED_FIELDS = {
  pod: namesOf([...OF_PODS, ...OF_EITHER], 'processes'),
  container: namesOf([...OF_CONTAINERS, ...OF_EITHER], 'processes'),
} as const;

const has = (part: Part, field: string): boolean =>
  field.split('.').reduce<unknown>((value, key) => partOf(value)[key], part) != null;

/** Why the container is not started; `undefined`: nothing of it is refused. */
export const refusedField = (
  { spec }: AgentPod,
  container: Container,
  isolation: Isolation = 'processes',
): string | undefined => {
  const pod: Part = spec;
  const place = `spec.containers[${container.name}]`;
  const found = [
    ...OF_PODS.map((refusal) => ({ refusal, part: pod, at: 'spec' })),
    ...OF_CONTAINERS.map((refusal) => ({ refusal, part: container, at: place })),
    ...OF_EITHER.map((refusal) =>
      has(container, refusal.field)
        ? { refusal, part: container, at: place }
        : { refusal, part: pod, at: 'spec' },
    ),
  ];
  for (const { refusal, part, at } of found) {
    const asked = isRefusedBy(refusal, isolation) ? refusal.asked(part) : undefined;
    if (asked !== undefined) return `${at}.${refusal.field}: ${asked} is not supported: ${refusal.why}`;
  }
  return undefined;
};
