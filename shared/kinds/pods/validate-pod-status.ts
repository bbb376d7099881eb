/** Rules for a changed Pod status. Source: core validation v1.34 `ValidatePodStatusUpdate`. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, internalFault, invalidValue } from '../../kube/errors/field-error.ts';
import type { Pod, PodStatus } from '../../kube/types/core.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import { dnsSubdomainFaults } from '../../kube/values/names.ts';
import { validateCommonMetadata, validateMetadataUpdate } from '../fields/metadata.ts';
import { validateMirrorUpdate } from './validate-pod.ts';

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

const LISTS = ['containerStatuses', 'initContainerStatuses'] as const;

const statusesIn = (status: PodStatus | undefined, list: string): readonly ContainerStatus[] =>
  (status?.[list] ?? []) as readonly ContainerStatus[];

const hasEnded = ({ state }: ContainerStatus): boolean => state?.terminated !== undefined;

// With restartPolicy OnFailure a container that failed may run again.
const isFinal = (status: ContainerStatus, policy: unknown): boolean =>
  hasEnded(status) && (policy === 'Never' || status.state?.terminated?.exitCode === 0);

const revived = (after: Pod, before: Pod, list: (typeof LISTS)[number]): readonly FieldError[] => {
  const policy = before.spec['restartPolicy'];
  if (policy === undefined || policy === 'Always') return [];
  const final = statusesIn(before.status, list).filter((status) => isFinal(status, policy));
  const ended = new Set(final.map(({ name }) => name));
  return statusesIn(after.status, list).flatMap((status, index) =>
    ended.has(status.name) && !hasEnded(status)
      ? [forbiddenField(`status.${list}[${index}].state`, 'may not be transitioned to non-terminated state')]
      : [],
  );
};

const nominated = ({ status }: Pod): string => {
  const name = status?.['nominatedNodeName'];
  return typeof name === 'string' ? name : '';
};

const validateNomination = (after: Pod, before: Pod): readonly FieldError[] => {
  const name = nominated(after);
  return name === '' || name === nominated(before)
    ? []
    : dnsSubdomainFaults(name).map((fault) => invalidValue('status.nominatedNodeName', name, fault));
};

const validateQos = (after: Pod, before: Pod): readonly FieldError[] => {
  const [now, was] = [after.status?.['qosClass'], before.status?.['qosClass']];
  return was === undefined || now === was
    ? []
    : [invalidValue('status.qosClass', now ?? '', 'field is immutable')];
};

interface HostIP {
  readonly ip?: string;
}

const hostIpsOf = ({ status }: Pod): readonly HostIP[] => (status?.['hostIPs'] ?? []) as readonly HostIP[];

const NO_ADDRESS = 'must be a valid IP address, (e.g. 10.9.8.7 or 2001:db8::ffff)';
const ONE_OF_EACH = 'may specify no more than one IP for each IP family';

const familyFaults = (hosts: readonly HostIP[]): readonly FieldError[] => {
  if (hosts.length < 2) return [];
  const families = hosts.map(({ ip = '' }) => parseAddress(ip)?.family);
  const bad = families.indexOf(undefined);
  const why = `failed to check for dual stack with error:invalid IP[${bad}]: <nil> (invalid IP address: ${hosts[bad]?.ip})`;
  const printed = hosts.map(({ ip = '' }) => ({ IP: ip }));
  return [
    ...(bad < 0 ? [] : [internalFault('status.hostIPs', why)]),
    ...(bad < 0 && hosts.length === 2 && families[0] !== families[1]
      ? []
      : [invalidValue('status.hostIPs', printed, ONE_OF_EACH)]),
  ];
};

/** The first of `hostIPs` must equal `hostIP`. Addresses that were stored before are not checked again. */
const validateHostIps = (after: Pod, before: Pod): readonly FieldError[] => {
  const hosts = hostIpsOf(after);
  const [first, own] = [hosts[0]?.ip ?? '', after.status?.['hostIP'] ?? ''];
  const known = new Set(hostIpsOf(before).map(({ ip }) => ip));
  if (hosts.length === 0) return [];
  return [
    ...(first === own ? [] : [invalidValue('status.hostIPs[0].ip', first, 'must be equal to `hostIP`')]),
    ...hosts.flatMap(({ ip = '' }, index) =>
      known.has(ip) || parseAddress(ip) ? [] : [invalidValue(`status.hostIPs[${index}]`, ip, NO_ADDRESS)],
    ),
    ...familyFaults(hosts),
  ];
};

/** A terminated container stays terminated, and the QoS class does not change. */
export const validatePodStatusUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateMirrorUpdate(after, before),
  ...validateNomination(after, before),
  ...LISTS.flatMap((list) => revived(after, before, list)),
  ...validateQos(after, before),
  ...validateHostIps(after, before),
];
