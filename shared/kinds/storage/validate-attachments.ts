/** Rules of storage.k8s.io/v1. Source: storage validation v1.34. */

import type { FieldError } from '../../kube/errors/field-error.ts';
import {
  duplicate,
  forbiddenField,
  invalidValue,
  notSupported,
  required,
  tooLong,
} from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import type { CSIDriver, CSINode, CSINodeDriver, VolumeAttachment } from '../../kube/types/storage.ts';
import { dnsSubdomainFaults, qualifiedNameFaults } from '../../kube/values/names.ts';
import { notNegative } from '../fields/not-negative.ts';

const DRIVER_NAME_LIMIT = 63;
const NODE_ID_LIMIT = 192;
const MESSAGE_LIMIT = 1024;
const IMMUTABLE = 'field is immutable';

const faulty = (field: string, value: unknown, faults: readonly string[]): readonly FieldError[] =>
  faults.map((fault) => invalidValue(field, value, fault));

/** Rules for the names of CSI drivers, which may contain capital letters. */
export const validateDriverName = (name: string, field: string): readonly FieldError[] => [
  ...(name === '' ? [required(field)] : []),
  ...(name.length > DRIVER_NAME_LIMIT
    ? [tooLong(field, `may not be more than ${DRIVER_NAME_LIMIT} bytes`)]
    : []),
  ...faulty(field, name, dnsSubdomainFaults(name.toLowerCase())),
];

const ONE_SOURCE = 'must specify exactly one of inlineVolumeSpec and persistentVolumeName';

const validateSource = ({ spec }: VolumeAttachment): readonly FieldError[] => {
  const { persistentVolumeName: volume, inlineVolumeSpec: inline } = spec?.source ?? {};
  if (volume === undefined) return inline ? [] : [required('spec.source', ONE_SOURCE)];
  if (inline) return [forbiddenField('spec.source', ONE_SOURCE)];
  const field = 'spec.source.persistentVolumeName';
  return volume === ''
    ? [required(field, 'must specify non empty persistentVolumeName')]
    : faulty(field, volume, dnsSubdomainFaults(volume));
};

const validateVolumeErrors = ({ status }: VolumeAttachment): readonly FieldError[] =>
  (['attachError', 'detachError'] as const).flatMap((part) => {
    const message = status?.[part]?.message ?? '';
    return message.length > MESSAGE_LIMIT
      ? [tooLong(`status.${part}.message`, `may not be more than ${MESSAGE_LIMIT} bytes`)]
      : [];
  });

export const validateVolumeAttachment = (attachment: VolumeAttachment): readonly FieldError[] => {
  const { attacher = '', nodeName = '' } = attachment.spec ?? {};
  return [
    // In Kubernetes the common rule and that of v1 both check this, so there are two errors.
    ...(attacher === '' ? [required('spec.attacher')] : []),
    ...validateSource(attachment),
    ...faulty('spec.nodeName', nodeName, dnsSubdomainFaults(nodeName)),
    ...validateVolumeErrors(attachment),
    ...validateDriverName(attacher, 'spec.attacher'),
  ];
};

// Kubernetes prints the value as its internal type, with Go's field names.
const goSpec = ({ attacher, nodeName, source }: NonNullable<VolumeAttachment['spec']>): object => ({
  Attacher: attacher ?? '',
  Source: {
    PersistentVolumeName: source?.persistentVolumeName ?? null,
    InlineVolumeSpec: source?.inlineVolumeSpec ?? null,
  },
  NodeName: nodeName ?? '',
});

export const validateVolumeAttachmentUpdate = (
  after: VolumeAttachment,
  before: VolumeAttachment,
): readonly FieldError[] =>
  deepEqual(after.spec, before.spec) ? [] : [invalidValue('spec', goSpec(after.spec ?? {}), IMMUTABLE)];

const validateNodeId = (id: string, field: string): readonly FieldError[] => {
  if (id === '') return [required(field)];
  return id.length > NODE_ID_LIMIT
    ? [invalidValue(field, id, `must be ${NODE_ID_LIMIT} characters or less`)]
    : [];
};

/** Indices of values that occurred earlier in the list. */
const repeated = (values: readonly unknown[]): ReadonlySet<number> => {
  const seen = new Set<unknown>();
  return new Set(values.flatMap((value, index) => (seen.size === seen.add(value).size ? [index] : [])));
};

const validateTopologyKeys = (keys: readonly string[], field: string): readonly FieldError[] => {
  const twice = repeated(keys);
  return keys.flatMap((key, index) => [
    ...(twice.has(index) ? [duplicate(field, key)] : []),
    ...faulty(field, key, qualifiedNameFaults(key)),
  ]);
};

const validateNodeDriver = (driver: CSINodeDriver, at: string): readonly FieldError[] => {
  return [
    ...validateDriverName(driver.name ?? '', `${at}.name`),
    ...validateNodeId(driver.nodeID ?? '', `${at}.nodeID`),
    ...notNegative(driver.allocatable?.count, `${at}.allocatable.count`),
    ...validateTopologyKeys(driver.topologyKeys ?? [], `${at}.topologyKeys`),
  ];
};

export const validateCSINode = ({ spec }: CSINode): readonly FieldError[] => {
  const drivers = spec?.drivers ?? [];
  const twice = repeated(drivers.map(({ name }) => name));
  return drivers.flatMap((driver, index) => [
    ...validateNodeDriver(driver, `spec.drivers[${index}]`),
    ...(twice.has(index) ? [duplicate(`spec.drivers[${index}].name`, driver.name)] : []),
  ]);
};

const goDriver = ({ name = '', nodeID = '', topologyKeys, allocatable }: CSINodeDriver): object => ({
  Name: name,
  NodeID: nodeID,
  TopologyKeys: topologyKeys ?? null,
  Allocatable: allocatable ? { Count: allocatable.count ?? null } : null,
});

/** Drivers may be added and removed, but not changed. */
export const validateCSINodeUpdate = (after: CSINode, before: CSINode): readonly FieldError[] => {
  const now = Map.groupBy(after.spec?.drivers ?? [], ({ name }) => name);
  return (before.spec?.drivers ?? []).flatMap((was) =>
    (now.get(was.name) ?? [])
      .filter((driver) => !deepEqual(driver, was))
      .map((driver) => invalidValue('spec.drivers', goDriver(driver), IMMUTABLE)),
  );
};

const POLICIES = ['File', 'None', 'ReadWriteOnceWithFSType'] as const;
const MODES = ['Ephemeral', 'Persistent'] as const;

const validateModes = (modes: unknown): readonly FieldError[] =>
  (Array.isArray(modes) ? modes : [])
    .filter((mode) => !(MODES as readonly unknown[]).includes(mode))
    .map((mode) => notSupported('spec.volumeLifecycleModes', mode, MODES));

interface TokenRequest {
  readonly audience?: string;
  readonly expirationSeconds?: number;
}

const SHORTEST_TOKEN = 600;

const tokenTimeFaults = (seconds: number, field: string): readonly FieldError[] => {
  if (seconds < SHORTEST_TOKEN)
    return [invalidValue(field, seconds, 'may not specify a duration less than 10 minutes')];
  return seconds > 2 ** 32
    ? [invalidValue(field, seconds, 'may not specify a duration larger than 2^32 seconds')]
    : [];
};

/** There may be only one token request for each audience. */
const validateTokenRequests = (requests: readonly TokenRequest[], at: string): readonly FieldError[] => {
  const twice = repeated(requests.map(({ audience = '' }) => audience));
  return requests.flatMap(({ audience = '', expirationSeconds = SHORTEST_TOKEN }, index) =>
    twice.has(index)
      ? [duplicate(`${at}[${index}].audience`, audience)]
      : tokenTimeFaults(expirationSeconds, `${at}[${index}].expirationSeconds`),
  );
};

export const validateCSIDriver = ({ metadata, spec }: CSIDriver): readonly FieldError[] => {
  const policy = spec?.['fsGroupPolicy'];
  return [
    ...validateDriverName(metadata.name, 'name'),
    ...((POLICIES as readonly unknown[]).includes(policy)
      ? []
      : [notSupported('spec.fsGroupPolicy', policy, POLICIES)]),
    ...validateTokenRequests(
      (spec?.['tokenRequests'] ?? []) as readonly TokenRequest[],
      'spec.tokenRequests',
    ),
    ...validateModes(spec?.['volumeLifecycleModes']),
  ];
};

export const validateCSIDriverUpdate = (after: CSIDriver, before: CSIDriver): readonly FieldError[] =>
  (
    [
      ['attachRequired', 'spec.attachedRequired'],
      ['volumeLifecycleModes', 'spec.volumeLifecycleModes'],
    ] as const
  ).flatMap(([part, field]) => {
    const [now, was] = [after.spec?.[part], before.spec?.[part]];
    return deepEqual(now, was) ? [] : [invalidValue(field, now, IMMUTABLE)];
  });
