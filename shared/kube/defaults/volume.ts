/** Defaults of the volumes of a pod or a template. Source: core defaults v1.34 `SetDefaults_Volume` and those of its sources. */
import { fields, listOf, orDefault, roundedResources, withVersion } from './container.ts';

type Fields = Readonly<Record<string, unknown>>;

const HOUR_SECONDS = 3600;
const FILE_MODE = 0o644;

const withVersions = (source: Fields): Fields => ({
  ...source,
  ...(Array.isArray(source['items'])
    ? { items: listOf(source['items']).map((item) => ({ ...item, ...withVersion(item['fieldRef']) })) }
    : {}),
});

const defaultProjection = (source: Fields): Fields => ({
  ...source,
  ...(source['downwardAPI'] ? { downwardAPI: withVersions(fields(source['downwardAPI'])) } : {}),
  ...(source['serviceAccountToken']
    ? { serviceAccountToken: { expirationSeconds: HOUR_SECONDS, ...fields(source['serviceAccountToken']) } }
    : {}),
});

const defaultClaim = (template: Fields): Fields => {
  const spec = fields(template['spec']);
  const resources = spec['resources'] ? { resources: roundedResources(fields(spec['resources'])) } : {};
  return { ...template, spec: { volumeMode: 'Filesystem', ...spec, ...resources } };
};

const withMode = (source: Fields): Fields => ({ defaultMode: FILE_MODE, ...source });

/** Gives fields a value that are absent or empty. */
const filled = (source: Fields, defaults: Readonly<Record<string, string>>): Fields => ({
  ...source,
  ...Object.fromEntries(
    Object.entries(defaults).map(([name, given]) => [name, orDefault(source[name], given)]),
  ),
});

const AZURE_DISK = { cachingMode: 'ReadWrite', fsType: 'ext4', readOnly: false, kind: 'Shared' };

const SOURCES: Readonly<Record<string, (source: Fields) => Fields>> = {
  hostPath: (source) => ({ type: '', ...source }),
  secret: withMode,
  configMap: withMode,
  downwardAPI: (source) => withMode(withVersions(source)),
  projected: (source) => ({
    ...withMode(source),
    ...(Array.isArray(source['sources'])
      ? { sources: listOf(source['sources']).map(defaultProjection) }
      : {}),
  }),
  iscsi: (source) => filled(source, { iscsiInterface: 'default' }),
  rbd: (source) => filled(source, { pool: 'rbd', user: 'admin', keyring: '/etc/ceph/keyring' }),
  azureDisk: (source) => ({ ...AZURE_DISK, ...source }),
  scaleIO: (source) => filled(source, { storageMode: 'ThinProvisioned', fsType: 'xfs' }),
  ephemeral: (source) =>
    source['volumeClaimTemplate']
      ? { ...source, volumeClaimTemplate: defaultClaim(fields(source['volumeClaimTemplate'])) }
      : source,
};

/** Fills in the defaults of a volume. A volume without a source becomes an emptyDir. */
export const defaultVolume = (volume: unknown): Fields => {
  const given = fields(volume);
  const { name: _name, ...sources } = given;
  if (Object.values(sources).every((source) => source === undefined || source === null))
    return { ...given, emptyDir: {} };
  const known = Object.keys(sources).flatMap((name): [string, Fields][] => {
    const fill = SOURCES[name];
    return fill && sources[name] ? [[name, fill(fields(sources[name]))]] : [];
  });
  return { ...given, ...Object.fromEntries(known) };
};
