/** Rules of `metadata` for all kinds. Source: apimachinery v1.34 `api/validation/objectmeta.go`. */
import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, required, tooLong, tooMany } from '../../kube/errors/field-error.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { ObjectMeta, OwnerReference } from '../../kube/types/meta.ts';
import {
  dnsLabelFaults,
  dnsSubdomainFaults,
  labelValueFaults,
  qualifiedNameFaults,
} from '../../kube/values/names.ts';
import { notNegative } from './not-negative.ts';

/** Limit, in bytes, of all annotation keys and values of an object together. */
const ANNOTATIONS_LIMIT = 262_144;
const STANDARD_FINALIZERS: readonly string[] = ['foregroundDeletion', 'kubernetes', 'orphan'];

export type NameRule = (name: string) => readonly string[];

/** The rule for names of most kinds. */
export const subdomainName: NameRule = dnsSubdomainFaults;
/**
 * The rule for names of Events and PodDisruptionBudgets: any path segment. Source: apimachinery v1.34
 * `api/validation/path`.
 */
export const pathSegmentName: NameRule = (name) =>
  ['.', '..'].includes(name)
    ? [`may not be '${name}'`]
    : ['/', '%'].filter((part) => name.includes(part)).map((part) => `may not contain '${part}'`);

const all = (field: string, value: unknown, faults: readonly string[]): readonly FieldError[] =>
  faults.map((fault) => invalidValue(field, value, fault));

/** Rules for the keys and values of labels. */
export const validateLabels = (
  labels: Readonly<Record<string, string>> | undefined,
  field = 'metadata.labels',
): readonly FieldError[] =>
  Object.entries(labels ?? {}).flatMap(([key, value]) => [
    ...all(field, key, qualifiedNameFaults(key)),
    ...all(field, value, labelValueFaults(value)),
  ]);

const validateAnnotations = (
  annotations: Readonly<Record<string, string>> | undefined,
): readonly FieldError[] => {
  const entries = Object.entries(annotations ?? {});
  const size = entries.reduce((sum, [key, value]) => sum + key.length + value.length, 0);
  return [
    ...entries.flatMap(([key]) => all('metadata.annotations', key, qualifiedNameFaults(key.toLowerCase()))),
    ...(size > ANNOTATIONS_LIMIT
      ? [tooLong('metadata.annotations', `may not be more than ${ANNOTATIONS_LIMIT} bytes`)]
      : []),
  ];
};

/** Whether `apiVersion` is a version or a group and a version. */
const hasVersion = (apiVersion: string): boolean => {
  const version = apiVersion.slice(apiVersion.indexOf('/') + 1);
  return version !== '' && !version.includes('/');
};

/** Each reference is one item of the transaction that writes the object, and DynamoDB allows 100 in one. Kubernetes has no limit. */
const MOST_OWNERS = 32;
/** Characters of an owner's uid, which is part of a stored key. Those that an API gives out have 36. */
const LONGEST_UID = 128;

// Kubernetes names the list here, without an index.
const validateOwner = (owner: OwnerReference): readonly FieldError[] => {
  const at = 'metadata.ownerReferences';
  const missing = (['kind', 'name', 'uid'] as const).filter((part) => !owner[part]);
  const isEvent = owner.apiVersion === 'v1' && owner.kind === 'Event';
  return [
    ...(hasVersion(owner.apiVersion ?? '')
      ? []
      : [invalidValue(`${at}.apiVersion`, owner.apiVersion ?? '', 'version must not be empty')]),
    ...missing.map((part) => invalidValue(`${at}.${part}`, owner[part] ?? '', 'must not be empty')),
    ...(owner.uid && owner.uid.length > LONGEST_UID
      ? [tooLong(`${at}.uid`, `may not be more than ${LONGEST_UID} characters`)]
      : []),
    ...(isEvent ? [invalidValue(at, owner, '/v1, Kind=Event is disallowed from being an owner')] : []),
  ];
};

/** How many errors about surplus controllers are reported. Each of them repeats all owners. */
const MOST_CONTROLLERS = 10;

const validateOwners = (owners: readonly OwnerReference[] = []): readonly FieldError[] => {
  const names = owners.filter(({ controller }) => controller).map(({ kind, name }) => `${kind}/${name}`);
  if (owners.length > MOST_OWNERS) return [tooMany('metadata.ownerReferences', owners.length, MOST_OWNERS)];
  return [
    ...owners.flatMap(validateOwner),
    ...names
      .slice(1, 1 + MOST_CONTROLLERS)
      .map((name) =>
        invalidValue(
          'metadata.ownerReferences',
          owners,
          `Only one reference can have Controller set to true. Found "true" in references for ${names[0]} and ${name}`,
        ),
      ),
  ];
};

const NOT_QUALIFIED = 'name is neither a standard finalizer name nor is it fully qualified';

const unqualified = (finalizer: string, field: string): readonly FieldError[] =>
  finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
    ? []
    : [invalidValue(field, finalizer, NOT_QUALIFIED)];

/** A finalizer must be a qualified name or one of Kubernetes' own finalizers. */
export const validateFinalizer = (finalizer: string, field: string): readonly FieldError[] => [
  ...all(field, finalizer, qualifiedNameFaults(finalizer)),
  ...unqualified(finalizer, field),
];

/** The check of finalizers that the kinds' own rules add to the common one. */
const validateOwnFinalizers = (finalizers: readonly string[] = []): readonly FieldError[] =>
  finalizers.flatMap((finalizer, index) => unqualified(finalizer, `metadata.finalizers[${index}]`));

const validateFinalizers = (finalizers: readonly string[] = []): readonly FieldError[] => [
  ...finalizers.flatMap((finalizer) => all('metadata.finalizers', finalizer, qualifiedNameFaults(finalizer))),
  ...(finalizers.includes('orphan') && finalizers.includes('foregroundDeletion')
    ? [
        invalidValue(
          'metadata.finalizers',
          finalizers,
          'finalizer orphan and foregroundDeletion cannot be both set',
        ),
      ]
    : []),
];

/** Rules for labels, annotations, owners and finalizers. Creates and updates share them. */
export const validateDecorations = (metadata: ObjectMeta): readonly FieldError[] => [
  ...validateLabels(metadata.labels),
  ...validateAnnotations(metadata.annotations),
  ...validateOwners(metadata.ownerReferences),
  ...validateFinalizers(metadata.finalizers),
];

// Random characters follow the prefix, so the prefix may end with a dash.
const generateNameFaults = (prefix: string, nameRule: NameRule): readonly string[] =>
  nameRule(prefix.length > 1 && prefix.endsWith('-') ? `${prefix.slice(0, -1)}a` : prefix);

const validateNames = (metadata: ObjectMeta, nameRule: NameRule): readonly FieldError[] => {
  const { generateName = '', name } = metadata;
  return [
    ...(generateName === ''
      ? []
      : all('metadata.generateName', generateName, generateNameFaults(generateName, nameRule))),
    ...(name
      ? all('metadata.name', name, nameRule(name))
      : [required('metadata.name', 'name or generateName is required')]),
  ];
};

const validateNamespace = ({ namespace = '' }: ObjectMeta, namespaced: boolean): readonly FieldError[] => {
  if (!namespaced)
    return namespace === '' ? [] : [forbiddenField('metadata.namespace', 'not allowed on this type')];
  return namespace === ''
    ? [required('metadata.namespace')]
    : all('metadata.namespace', namespace, dnsLabelFaults(namespace));
};

/** Rules for the metadata of a new object. */
export const validateMetadata = (
  metadata: ObjectMeta,
  { namespaced, nameRule = subdomainName }: { readonly namespaced: boolean; readonly nameRule?: NameRule },
): readonly FieldError[] => [
  ...validateNames(metadata, nameRule),
  ...validateNamespace(metadata, namespaced),
  ...notNegative(metadata.generation, 'metadata.generation'),
  ...validateDecorations(metadata),
  ...validateOwnFinalizers(metadata.finalizers),
];

const IMMUTABLE = ['name', 'namespace', 'uid', 'creationTimestamp', 'deletionTimestamp'] as const;

const validateNewFinalizers = (after: ObjectMeta, before: ObjectMeta): readonly FieldError[] => {
  if (before.deletionTimestamp === undefined) return [];
  const known = new Set(before.finalizers);
  const added = (after.finalizers ?? []).filter((one) => !known.has(one));
  const printed = `[]string{${added.map((one) => quote(one)).join(', ')}}`;
  return added.length === 0
    ? []
    : [
        forbiddenField(
          'metadata.finalizers',
          `no new finalizers can be added if the object is being deleted, found new finalizers ${printed}`,
        ),
      ];
};

const validateChange = (after: ObjectMeta, before: ObjectMeta): readonly FieldError[] => [
  ...validateNewFinalizers(after, before),
  ...IMMUTABLE.flatMap((part) =>
    after[part] === before[part]
      ? []
      : [invalidValue(`metadata.${part}`, after[part] ?? '', 'field is immutable')],
  ),
  ...validateLabels(after.labels),
  ...validateAnnotations(after.annotations),
  ...validateOwners(after.ownerReferences),
];

/** Rules for changed metadata: identity is immutable, and an object being deleted gets no new finalizers. */
export const validateMetadataUpdate = (after: ObjectMeta, before: ObjectMeta): readonly FieldError[] => [
  ...validateChange(after, before),
  ...validateOwnFinalizers(after.finalizers),
];

/**
 * Checks the metadata of all kinds before their own rules, which check most of it again: Kubernetes lists those causes
 * several times. Source: apiserver v1.34 `registry/rest` `validateCommonFields`.
 */
export const validateCommonMetadata = (after: ObjectMeta, before: ObjectMeta): readonly FieldError[] => [
  ...validateDecorations(after),
  ...validateChange(after, before),
];
