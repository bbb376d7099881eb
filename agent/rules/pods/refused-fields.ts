/**
 * Fields of a pod that this agent cannot honour, and without which the pod would not be what its author wants: less safe, or broken. A
 * container of such a pod is not started. docs/pods-on-a-machine.md has all fields.
 */

import type { AgentPod } from '../containers/agent-pod.ts';
import type { Container } from '../containers/container.ts';
import {
  type Asked,
  contextOf,
  fieldsIn,
  isSet,
  isUnset,
  mountWith,
  type Part,
  partOf,
  partsOf,
  type Refusal,
  type Refusals,
  refusalIn,
  several,
  text,
} from './asked-fields.ts';
import { hasBundles, type Isolation } from './isolation.ts';
import { ROOTLESS_REFUSALS } from './rootless-refusals.ts';

interface RuntimeRefusal extends Refusal {
  /** Where it cannot be had; absent: nowhere. */
  readonly refusedBy?: readonly Isolation[];
}

const seccomp = (part: Part): Asked => {
  const type = text(partOf(contextOf(part)['seccompProfile'])['type']);
  return type === 'Localhost' ? type : undefined;
};

const selinux = (part: Part): Asked => {
  const options = Object.values(partOf(contextOf(part)['seLinuxOptions'])).filter(Boolean);
  return options.length === 0 ? undefined : options.join(':');
};

/** From a privileged container nothing of the kernel is hidden anyway. */
const unmasked = (part: Part): Asked => {
  const { procMount, privileged } = contextOf(part);
  return procMount === 'Unmasked' && privileged !== true ? procMount : undefined;
};

const FILTERED = 'there are no profiles of the machine here; set the type RuntimeDefault or Unconfined';
const LABELLED = 'processes get no SELinux label here';
const OWN_NAMES = 'containers use the name resolution of the machine';
const WITHOUT_CRI: readonly Isolation[] = ['oci', 'none'];
const NO_DEVICES = 'there are no device drivers here';

const OF_PODS: readonly RuntimeRefusal[] = [
  {
    field: 'hostUsers',
    asked: ({ hostUsers }) => isUnset(hostUsers),
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

const OF_CONTAINERS: readonly RuntimeRefusal[] = [
  {
    field: 'volumeDevices',
    asked: (one) => several(one['volumeDevices']),
    why: 'block volumes cannot be had here',
  },
  {
    field: 'volumeMounts.mountPropagation',
    asked: mountWith('mountPropagation', 'Bidirectional'),
    why: 'mounts of a container stay in it',
    refusedBy: ['none'],
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
  {
    field: 'securityContext.procMount',
    asked: unmasked,
    why: 'it would show and change what the kernel has for the whole machine; there are no user namespaces here',
    refusedBy: ['oci', 'cri'],
  },
];

/** Of the pod, unless the container says otherwise. */
const OF_EITHER: readonly RuntimeRefusal[] = [
  { field: 'securityContext.seccompProfile', asked: seccomp, why: FILTERED, refusedBy: ['none'] },
  { field: 'securityContext.seLinuxOptions', asked: selinux, why: LABELLED, refusedBy: WITHOUT_CRI },
];

const isRefusedBy = ({ refusedBy }: RuntimeRefusal, isolation: Isolation): boolean =>
  refusedBy?.includes(hasBundles(isolation) ? 'oci' : isolation) ?? true;

const listsOf = (isolation: Isolation): Refusals => {
  const left = (all: readonly RuntimeRefusal[]) => all.filter((one) => isRefusedBy(one, isolation));
  return { pod: left(OF_PODS), container: left(OF_CONTAINERS), either: left(OF_EITHER) };
};

const joined = (a: Refusals, b: Refusals): Refusals => ({
  pod: [...a.pod, ...b.pod],
  container: [...a.container, ...b.container],
  either: [...a.either, ...b.either],
});

const LISTS: Readonly<Record<Isolation, Refusals>> = {
  oci: listsOf('oci'),
  'oci-rootless': joined(listsOf('oci-rootless'), ROOTLESS_REFUSALS),
  cri: listsOf('cri'),
  none: listsOf('none'),
};

/** All fields that can be refused where containers are bundles: below `spec`, and below a container. */
export const REFUSED_FIELDS = fieldsIn(LISTS.oci);

/** Why the container is not started; `undefined`: nothing of it is refused. */
export const refusedField = (pod: AgentPod, container: Container, isolation: Isolation): string | undefined =>
  refusalIn(LISTS[isolation], pod, container);
