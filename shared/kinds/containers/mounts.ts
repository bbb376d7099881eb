/** Rules for what a container mounts. Source: core validation v1.34 `ValidateVolumeMounts`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  forbiddenField,
  invalidValue,
  notFoundValue,
  notSupported,
  required,
} from '../../kube/errors/field-error.ts';
import { descendingFaults } from '../fields/paths.ts';

export interface VolumeMount {
  readonly name?: string;
  readonly mountPath?: string;
  readonly subPath?: string;
  readonly subPathExpr?: string;
  readonly mountPropagation?: string;
}

const PROPAGATIONS: readonly string[] = ['Bidirectional', 'HostToContainer', 'None'];

const subPathFaults = (
  { subPath = '', subPathExpr = '' }: VolumeMount,
  at: string,
): readonly FieldError[] => [
  ...descendingFaults(subPath, `${at}.subPath`),
  ...(subPath !== '' && subPathExpr !== ''
    ? [invalidValue(`${at}.subPathExpr`, subPathExpr, 'subPathExpr and subPath are mutually exclusive')]
    : []),
  ...descendingFaults(subPathExpr, `${at}.subPathExpr`),
];

const propagationFaults = (
  propagation: string | undefined,
  privileged: boolean,
  field: string,
): readonly FieldError[] => {
  if (propagation === undefined) return [];
  if (!PROPAGATIONS.includes(propagation)) return [notSupported(field, propagation, PROPAGATIONS)];
  return propagation === 'Bidirectional' && !privileged
    ? [forbiddenField(field, 'Bidirectional mount propagation is available only to privileged containers')]
    : [];
};

/** `volumes` are the names of the Pod's volumes; `privileged` tells whether the container is privileged. */
export const validateMounts = (
  mounts: readonly VolumeMount[],
  volumes: ReadonlySet<string>,
  privileged: boolean,
  field: string,
): readonly FieldError[] => {
  const paths = new Set<string>();
  return mounts.flatMap((mount, index) => {
    const { name = '', mountPath = '' } = mount;
    const at = `${field}[${index}]`;
    const twice = mountPath !== '' && paths.has(mountPath);
    paths.add(mountPath);
    return [
      ...(name === '' ? [required(`${at}.name`)] : []),
      ...(volumes.has(name) ? [] : [notFoundValue(`${at}.name`, name)]),
      ...(mountPath === '' ? [required(`${at}.mountPath`)] : []),
      ...(twice ? [invalidValue(`${at}.mountPath`, mountPath, 'must be unique')] : []),
      ...subPathFaults(mount, at),
      ...propagationFaults(mount.mountPropagation, privileged, `${at}.mountPropagation`),
    ];
  });
};
