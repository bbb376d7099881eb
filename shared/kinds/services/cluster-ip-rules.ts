/** Rules for the cluster IPs of a Service. Source: core validation v1.34 `ValidateServiceClusterIPsRelatedFields`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue } from '../../kube/errors/field-error.ts';
import { parseAddress } from '../../kube/values/ip.ts';
import { NO_ADDRESS } from './endpoint-rules.ts';

interface ClusterIps {
  readonly type?: string;
  readonly clusterIP?: string;
  readonly clusterIPs?: readonly string[];
}

const FIELD = 'spec.clusterIPs';
const NONE = 'None';
/** Most addresses of a Service: one of each family. */
const MOST = 2;

const shapeFaults = ({ clusterIP = '', clusterIPs = [] }: ClusterIps): readonly FieldError[] => [
  ...(clusterIP === (clusterIPs[0] ?? '')
    ? []
    : [invalidValue(FIELD, clusterIPs, 'first value must match `clusterIP`')]),
  ...(clusterIPs[0] === NONE && clusterIPs.length > 1
    ? [invalidValue(FIELD, clusterIPs, "'None' must be the first and only value")]
    : []),
  ...(clusterIPs.length > MOST ? [invalidValue(FIELD, clusterIPs, 'may only hold up to 2 values')] : []),
];

const addressFaults = ({ clusterIPs = [] }: ClusterIps): readonly FieldError[] =>
  clusterIPs
    .slice(0, MOST)
    .flatMap((text, index) =>
      (index === 0 && text === NONE) || parseAddress(text)
        ? []
        : [invalidValue(`${FIELD}[${index}]`, text, NO_ADDRESS)],
    );

const familyFaults = ({ clusterIPs = [] }: ClusterIps): readonly FieldError[] => {
  const families = clusterIPs.flatMap((text) => parseAddress(text)?.family ?? []);
  return families.length > 1 && new Set(families).size === 1
    ? [invalidValue(FIELD, clusterIPs, 'may specify no more than one IP for each IP family')]
    : [];
};

/** Checks the addresses that a Service has or asks for, before any is claimed. */
export const validateClusterIps = (spec: ClusterIps): readonly FieldError[] => {
  if (spec.type === 'ExternalName')
    return spec.clusterIPs?.length ? [forbiddenField(FIELD, 'may not be set for ExternalName services')] : [];
  const faults = [...shapeFaults(spec), ...addressFaults(spec)];
  return faults.length > 0 ? faults : familyFaults(spec);
};

/** An address may be added, and the second one taken away; none may become another. */
export const changedClusterIps = (after: ClusterIps, before: ClusterIps): readonly FieldError[] => {
  const [now, was] = [after, before].map(({ clusterIPs = [] }) => clusterIPs.filter((text) => text !== ''));
  return (was ?? []).flatMap((address, index) =>
    address === now?.[index] || (index > 0 && now?.[index] === undefined)
      ? []
      : [invalidValue(`${FIELD}[${index}]`, now, 'may not change once set')],
  );
};
