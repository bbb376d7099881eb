import type { Node } from '../core.ts';
import type { FieldError } from '../field-error.ts';
import { duplicate, forbiddenField, invalidValue } from '../field-error.ts';
import {
  validateCommonMetadata,
  validateDecorations,
  validateMetadata,
  validateMetadataUpdate,
} from './metadata.ts';
import { validateTaints } from './taints.ts';

const CIDR_RULE = 'must be a valid CIDR value, (e.g. 10.9.8.0/24 or 2001:db8::/64)';

const isCidr = (value: string): boolean => {
  const [address = '', bits = '', ...rest] = value.split('/');
  if (rest.length > 0 || !/^\d{1,3}$/.test(bits)) return false;
  const octets = address.split('.');
  const isFour =
    octets.length === 4 && octets.every((octet) => /^\d{1,3}$/.test(octet) && Number(octet) < 256);
  if (isFour) return Number(bits) <= 32;
  return address.includes(':') && /^[0-9a-fA-F:.]+$/.test(address) && Number(bits) <= 128;
};

const validateCidrs = (node: Node): readonly FieldError[] =>
  (node.spec?.podCIDRs ?? []).flatMap((cidr, index) =>
    isCidr(cidr) ? [] : [invalidValue(`spec.podCIDRs[${index}]`, cidr, CIDR_RULE)],
  );

const validatePods = (pods: string | undefined, field: string): readonly FieldError[] => {
  if (pods === undefined) return [];
  if (pods.startsWith('-')) return [invalidValue(field, pods, 'must be greater than or equal to 0')];
  return /[mun]$/.test(pods) ? [invalidValue(field, pods, 'must be an integer')] : [];
};

const validateResources = ({ status }: Node): readonly FieldError[] => [
  ...validatePods(status?.capacity?.['pods'], 'status.capacity.pods'),
  ...validatePods(status?.allocatable?.['pods'], 'status.allocatable.pods'),
];

/** Rules for a new Node. Source: core validation v1.34 `ValidateNode`. */
export const validateNode = (node: Node): readonly FieldError[] => [
  ...validateMetadata(node.metadata, { namespaced: false }),
  ...validateTaints(node.spec?.taints),
  ...validateResources(node),
  ...validateCidrs(node),
];

const validateAddresses = ({ status }: Node): readonly FieldError[] => {
  const seen = new Set<string>();
  return (status?.addresses ?? []).flatMap(({ type, address }, index) => {
    const id = `${type}\n${address}`;
    const twice = seen.has(id);
    seen.add(id);
    return twice ? [duplicate(`status.addresses[${index}]`, { Type: type, Address: address })] : [];
  });
};

const onlyFromEmpty = (field: string, what: string, before: string, after: string): readonly FieldError[] =>
  before === '' || before === after
    ? []
    : [forbiddenField(field, `node updates may not change ${what} except from "" to valid`)];

/** Rules for a changed Node. Source: core validation v1.34 `ValidateNodeUpdate`. */
export const validateNodeUpdate = (after: Node, before: Node): readonly FieldError[] => {
  // The real server runs the rules of a new Node, too, and lists those causes again.
  const taints = validateTaints(after.spec?.taints);
  const cidrs = (node: Node) => (node.spec?.podCIDRs ?? []).join(',');
  return [
    ...validateCommonMetadata(after.metadata, before.metadata),
    ...validateDecorations(after.metadata),
    ...validateMetadataUpdate(after.metadata, before.metadata),
    ...validateResources(after),
    ...validateAddresses(after),
    ...(cidrs(before) === '' ? validateCidrs(after) : []),
    ...onlyFromEmpty('spec.podCIDRs', 'podCIDR', cidrs(before), cidrs(after)),
    ...onlyFromEmpty(
      'spec.providerID',
      'providerID',
      before.spec?.providerID ?? '',
      after.spec?.providerID ?? '',
    ),
    ...taints,
    ...taints,
  ];
};
