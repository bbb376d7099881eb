/** Rules for a Pod's volumes, defaulted. Source: core validation v1.34 `ValidateVolumes`; the sources that are checked here. */
import type { FieldError } from '../field-error.ts';
import { forbiddenField, invalidValue, required } from '../field-error.ts';
import { nameFaults } from './container.ts';

/** Where a volume comes from: a member named after its type. */
export interface Volume {
  readonly name?: string;
  readonly [source: string]: unknown;
}

/** The types in the order in which they are looked at; all others come after them. */
const ORDER: readonly string[] = [
  'emptyDir',
  'hostPath',
  'gitRepo',
  'gcePersistentDisk',
  'awsElasticBlockStore',
  'secret',
  'nfs',
  'iscsi',
  'glusterfs',
  'flocker',
  'persistentVolumeClaim',
  'rbd',
  'cinder',
  'cephfs',
  'quobyte',
  'downwardAPI',
  'fc',
  'flexVolume',
  'configMap',
];

/** Members that must not be empty, by type. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  secret: ['secretName'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  configMap: ['name'],
  csi: ['driver'],
};

const rankOf = (type: string): number => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

const sourceFaults = (type: string, source: unknown, at: string): readonly FieldError[] => {
  const members = (source ?? {}) as Readonly<Record<string, unknown>>;
  const { path } = members;
  return [
    ...(NEEDED[type] ?? []).filter((name) => !members[name]).map((name) => required(`${at}.${name}`)),
    ...(type === 'hostPath' && typeof path === 'string' && path.split('/').includes('..')
      ? [invalidValue(`${at}.path`, path, "must not contain '..'")]
      : []),
  ];
};

const validateSources = ({ name: _name, ...sources }: Volume, at: string): readonly FieldError[] => {
  const types = Object.keys(sources).toSorted((a, b) => rankOf(a) - rankOf(b));
  if (types.length === 0) return [required(at, 'must specify a volume type')];
  return types.flatMap((type, index) =>
    index === 0
      ? sourceFaults(type, sources[type], `${at}.${type}`)
      : [forbiddenField(`${at}.${type}`, 'may not specify more than 1 volume type')],
  );
};

/** Volumes of one source each, named by DNS labels. */
export const validateVolumes = (volumes: readonly Volume[]): readonly FieldError[] => {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `spec.volumes[${index}]`;
    return [...validateSources(volume, at), ...nameFaults(volume.name ?? '', names, `${at}.name`)];
  });
};
