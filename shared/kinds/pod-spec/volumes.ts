/**
 * Rules for a Pod's volumes after defaulting, as far as they are served. Source: core validation v1.34
 * `ValidateVolumes`.
 */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, notSupported, required } from '../../kube/errors/field-error.ts';
import { validateListedName } from '../containers/container.ts';
import { ownPathFaults } from '../fields/paths.ts';

/** A volume. Its source is the member with the name of the volume's type. */
export interface Volume {
  readonly name?: string;
  readonly [source: string]: unknown;
}

/** Volume types in the order in which they are checked. All others follow. */
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

/** Required members by volume type. */
const NEEDED: Readonly<Record<string, readonly string[]>> = {
  hostPath: ['path'],
  secret: ['secretName'],
  nfs: ['server', 'path'],
  persistentVolumeClaim: ['claimName'],
  configMap: ['name'],
  csi: ['driver'],
};

const HOST_TYPES = [
  '',
  'BlockDevice',
  'CharDevice',
  'Directory',
  'DirectoryOrCreate',
  'File',
  'FileOrCreate',
  'Socket',
] as const;

interface Item {
  readonly key?: string;
  readonly path?: string;
  readonly mode?: number;
}

const MAX_MODE = 0o777;

const modeFaults = (mode: unknown, field: string): readonly FieldError[] =>
  typeof mode === 'number' && (mode < 0 || mode > MAX_MODE)
    ? [invalidValue(field, mode, 'must be a number between 0 and 0777 (octal), both inclusive')]
    : [];

const itemFaults = ({ key = '', path = '', mode }: Item, at: string): readonly FieldError[] => [
  ...(key === '' ? [required(`${at}.key`)] : []),
  ...(path === '' ? [required(`${at}.path`)] : []),
  ...ownPathFaults(path, `${at}.path`),
  ...modeFaults(mode, `${at}.mode`),
];

type Members = Readonly<Record<string, unknown>>;

/** Rules for volumes whose files are made from keys of a Secret or ConfigMap. */
const filesFaults = ({ defaultMode, items }: Members, at: string): readonly FieldError[] => [
  ...modeFaults(defaultMode, `${at}.defaultMode`),
  ...((items ?? []) as readonly Item[]).flatMap((item, index) => itemFaults(item, `${at}.items[${index}]`)),
];

const hostPathFaults = ({ path, type = '' }: Members, at: string): readonly FieldError[] => [
  ...(typeof path === 'string' && path.split('/').includes('..')
    ? [invalidValue(`${at}.path`, path, "must not contain '..'")]
    : []),
  ...((HOST_TYPES as readonly unknown[]).includes(type)
    ? []
    : [notSupported(`${at}.type`, type, HOST_TYPES)]),
];

const emptyDirFaults = ({ sizeLimit }: Members, at: string): readonly FieldError[] =>
  typeof sizeLimit === 'string' && sizeLimit.startsWith('-')
    ? [forbiddenField(`${at}.sizeLimit`, 'SizeLimit field must be a valid resource quantity')]
    : [];

/** Further rules of some volume types. */
const OWN_RULES: Readonly<Record<string, (members: Members, at: string) => readonly FieldError[]>> = {
  emptyDir: emptyDirFaults,
  hostPath: hostPathFaults,
  secret: filesFaults,
  configMap: filesFaults,
};

const rankOf = (type: string): number => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

const sourceFaults = (type: string, source: unknown, at: string): readonly FieldError[] => {
  const members = (source ?? {}) as Members;
  return [
    ...(NEEDED[type] ?? []).filter((name) => !members[name]).map((name) => required(`${at}.${name}`)),
    ...(OWN_RULES[type]?.(members, at) ?? []),
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

/** Each volume must have exactly one source and a unique DNS label as name. */
export const validateVolumes = (volumes: readonly Volume[]): readonly FieldError[] => {
  const names = new Set<string>();
  return volumes.flatMap((volume, index) => {
    const at = `spec.volumes[${index}]`;
    return [...validateSources(volume, at), ...validateListedName(volume.name ?? '', names, `${at}.name`)];
  });
};
