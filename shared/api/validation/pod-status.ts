/** Rules for a written Pod status. Source: core validation v1.34 `ValidatePodStatusUpdate`. */
import type { Pod, PodStatus } from '../core.ts';
import type { FieldError } from '../field-error.ts';
import { forbiddenField, invalidValue } from '../field-error.ts';
import { validateCommonMetadata, validateMetadataUpdate } from './metadata.ts';
import { dnsSubdomainFaults } from './names.ts';
import { validateMirrorUpdate } from './pod.ts';

interface ContainerStatus {
  readonly name?: string;
  readonly state?: { readonly terminated?: { readonly exitCode?: number } };
}

const LISTS = ['containerStatuses', 'initContainerStatuses'] as const;

const statusesIn = (status: PodStatus | undefined, list: string): readonly ContainerStatus[] =>
  (status?.[list] ?? []) as readonly ContainerStatus[];

const hasEnded = ({ state }: ContainerStatus): boolean => state?.terminated !== undefined;

// With OnFailure a container that failed may run again.
const isFinal = (status: ContainerStatus, policy: unknown): boolean =>
  hasEnded(status) && (policy === 'Never' || status.state?.terminated?.exitCode === 0);

const revived = (after: Pod, before: Pod, list: (typeof LISTS)[number]): readonly FieldError[] => {
  const policy = before.spec['restartPolicy'];
  if (policy === undefined || policy === 'Always') return [];
  const ended = statusesIn(before.status, list).filter((status) => isFinal(status, policy));
  return statusesIn(after.status, list).flatMap((status, index) =>
    ended.some(({ name }) => name === status.name) && !hasEnded(status)
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

/** What has ended stays so, and the class of service is that of the creation. */
export const validatePodStatusUpdate = (after: Pod, before: Pod): readonly FieldError[] => [
  ...validateCommonMetadata(after.metadata, before.metadata),
  ...validateMetadataUpdate(after.metadata, before.metadata),
  ...validateMirrorUpdate(after, before),
  ...validateNomination(after, before),
  ...LISTS.flatMap((list) => revived(after, before, list)),
  ...validateQos(after, before),
];
