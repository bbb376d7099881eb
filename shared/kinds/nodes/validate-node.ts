import type { FieldError } from '../../kube/errors/field-error.ts';
import { duplicate, forbiddenField, internalFault, invalidValue } from '../../kube/errors/field-error.ts';
import type { Amounts, Node } from '../../kube/types/core.ts';
import { validateCommonMetadata, validateMetadata, validateMetadataUpdate } from '../fields/metadata.ts';
import { validateAmount } from '../fields/resource-amounts.ts';
import { validateTaints } from '../pod-spec/taints.ts';

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

const FAMILIES = 'may specify no more than one CIDR for each IP family';

const familyFaults = (cidrs: readonly string[]): readonly FieldError[] => {
  if (cidrs.length < 2) return [];
  const bad = cidrs.findIndex((cidr) => !isCidr(cidr));
  const families = new Set(cidrs.map((cidr) => cidr.includes(':')));
  const isDual = bad < 0 && cidrs.length === 2 && families.size === 2;
  const why = `invalid PodCIDRs. failed to check with dual stack with error:invalid CIDR[${bad}]: <nil> (invalid CIDR address: ${cidrs[bad]})`;
  return [
    ...(bad < 0 ? [] : [internalFault('spec.podCIDRs', why)]),
    ...(isDual ? [] : [invalidValue('spec.podCIDRs', cidrs, FAMILIES)]),
  ];
};

const validateCidrs = ({ spec }: Node): readonly FieldError[] => [
  ...(spec?.podCIDRs ?? []).flatMap((cidr, index) =>
    isCidr(cidr) ? [] : [invalidValue(`spec.podCIDRs[${index}]`, cidr, CIDR_RULE)],
  ),
  ...familyFaults(spec?.podCIDRs ?? []),
];

const validateAmounts = (amounts: Amounts | undefined, field: string): readonly FieldError[] =>
  Object.entries(amounts ?? {}).flatMap(([name, amount]) => validateAmount(name, amount, `${field}.${name}`));

const validateResources = ({ status }: Node): readonly FieldError[] => [
  ...validateAmounts(status?.capacity, 'status.capacity'),
  ...validateAmounts(status?.allocatable, 'status.allocatable'),
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
  // Kubernetes runs the rules of a new Node, too, and lists those causes again.
  const taints = validateTaints(after.spec?.taints);
  const cidrs = (node: Node) => (node.spec?.podCIDRs ?? []).join(',');
  return [
    ...validateCommonMetadata(after.metadata, before.metadata),
    ...validateMetadata(after.metadata, { namespaced: false }),
    ...taints,
    ...validateResources(after),
    ...validateCidrs(after),
    ...validateMetadataUpdate(after.metadata, before.metadata),
    ...validateResources(after),
    ...validateAddresses(after),
    ...onlyFromEmpty('spec.podCIDRs', 'podCIDR', cidrs(before), cidrs(after)),
    ...onlyFromEmpty(
      'spec.providerID',
      'providerID',
      before.spec?.providerID ?? '',
      after.spec?.providerID ?? '',
    ),
    ...taints,
  ];
};
