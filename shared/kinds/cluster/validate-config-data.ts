/**
 * Rules of ConfigMaps and Secrets. Source: core validation v1.34 `ValidateConfigMap`, `ValidateSecret` and their
 * updates.
 */

import type { FieldError } from '../../kube/errors/field-error.ts';
import { forbiddenField, invalidValue, required, tooLong } from '../../kube/errors/field-error.ts';
import { deepEqual } from '../../kube/json/deep-equal.ts';
import { ownMember } from '../../kube/json/own-member.ts';
import type { ApiObject } from '../../kube/types/meta.ts';

/** Limit, in bytes, of all values of an object together. */
const SIZE_LIMIT = 1_048_576;
const KEY = '[-._a-zA-Z0-9]+';
const WHOLE_KEY = new RegExp(`^${KEY}$`);
const REDACTED = '<secret contents redacted>';

type Data = Readonly<Record<string, string>>;

export interface ConfigMap extends ApiObject {
  readonly data?: Data;
  /** Values in base64. */
  readonly binaryData?: Data;
  readonly immutable?: boolean;
}

export interface Secret extends ApiObject {
  /** Values in base64. */
  readonly data?: Data;
  /** Values as plain text. On a write they are moved to `data`. */
  readonly stringData?: Data;
  readonly type?: string;
  readonly immutable?: boolean;
}

const keyFaults = (key: string): readonly string[] => {
  if (key.length > 253) return ['must be no more than 253 characters'];
  if (!WHOLE_KEY.test(key))
    return [
      `a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '${KEY}')`,
    ];
  if (key === '.') return [`must not be '.'`];
  if (key === '..') return [`must not be '..'`];
  return key.startsWith('..') ? [`must not start with '..'`] : [];
};

const validateKeys = (data: Data | undefined, field: string): readonly FieldError[] =>
  Object.keys(data ?? {}).flatMap((key) =>
    keyFaults(key).map((fault) => invalidValue(`${field}[${key}]`, key, fault)),
  );

const characters = (data: Data | undefined): number =>
  Object.values(data ?? {}).reduce((sum, value) => sum + value.length, 0);

const textBytes = (data: Data | undefined): number =>
  Object.values(data ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value), 0);

const encodedBytes = (data: Data | undefined): number =>
  Object.values(data ?? {}).reduce((sum, value) => sum + Buffer.byteLength(value, 'base64'), 0);

const validateSize = (bytes: number, field: string): readonly FieldError[] =>
  bytes > SIZE_LIMIT ? [tooLong(field, `may not be more than ${SIZE_LIMIT} bytes`)] : [];

/** Counts UTF-8 bytes only if the number of characters, of at most three bytes each, does not decide. */
const validateMapSize = ({ data, binaryData }: ConfigMap): readonly FieldError[] =>
  3 * characters(data) + characters(binaryData) <= SIZE_LIMIT
    ? []
    : validateSize(textBytes(data) + encodedBytes(binaryData), '');

const validateTwice = ({ data, binaryData }: ConfigMap): readonly FieldError[] =>
  Object.keys(data ?? {})
    .filter((key) => ownMember(binaryData, key) !== undefined)
    .map((key) => invalidValue(`data[${key}]`, key, 'duplicate of key present in binaryData'));

export const validateConfigMap = (map: ConfigMap): readonly FieldError[] => [
  ...validateKeys(map.data, 'data'),
  ...validateTwice(map),
  ...validateKeys(map.binaryData, 'binaryData'),
  ...validateMapSize(map),
];

const FIXED = 'field is immutable when `immutable` is set';

const validateFixed = <T extends ConfigMap | Secret>(
  after: T,
  before: T,
  parts: readonly (keyof T & string)[],
): readonly FieldError[] => {
  if (before.immutable !== true) return [];
  const changed = parts.filter((part) => !deepEqual(after[part], before[part]));
  return [...(after.immutable === true ? [] : ['immutable']), ...changed].map((part) =>
    forbiddenField(part, FIXED),
  );
};

export const validateConfigMapUpdate = (after: ConfigMap, before: ConfigMap): readonly FieldError[] =>
  validateFixed(after, before, ['data', 'binaryData']);

const ACCOUNT_NAME = 'kubernetes.io/service-account.name';

const missing = (data: Data | undefined, keys: readonly string[]): readonly FieldError[] =>
  keys.filter((key) => data?.[key] === undefined).map((key) => required(`data[${key}]`));

const validateDockerConfig = (data: Data | undefined, key: string): readonly FieldError[] => {
  const encoded = data?.[key];
  if (encoded === undefined) return [required(`data[${key}]`)];
  try {
    JSON.parse(Buffer.from(encoded, 'base64').toString());
    return [];
  } catch {
    return [invalidValue(`data[${key}]`, REDACTED, 'invalid JSON')];
  }
};

const validateBasicAuth = (data: Data | undefined): readonly FieldError[] => {
  const absent = missing(data, ['username', 'password']);
  return absent.length === 2 ? absent : [];
};

/** Rules for the data of well-known Secret types. */
const TYPES: Readonly<Record<string, (secret: Secret) => readonly FieldError[]>> = {
  'kubernetes.io/service-account-token': ({ metadata }) =>
    metadata.annotations?.[ACCOUNT_NAME] ? [] : [required(`metadata.annotations[${ACCOUNT_NAME}]`)],
  'kubernetes.io/dockercfg': ({ data }) => validateDockerConfig(data, '.dockercfg'),
  'kubernetes.io/dockerconfigjson': ({ data }) => validateDockerConfig(data, '.dockerconfigjson'),
  'kubernetes.io/basic-auth': ({ data }) => validateBasicAuth(data),
  'kubernetes.io/ssh-auth': ({ data }) => missing(data, ['ssh-privatekey']),
  'kubernetes.io/tls': ({ data }) => missing(data, ['tls.crt', 'tls.key']),
};

export const validateSecret = (secret: Secret): readonly FieldError[] => [
  ...validateKeys(secret.data, 'data'),
  ...validateSize(encodedBytes(secret.data), 'data'),
  ...(ownMember(TYPES, secret.type ?? '')?.(secret) ?? []),
];

export const validateSecretUpdate = (after: Secret, before: Secret): readonly FieldError[] => [
  ...(after.type === before.type ? [] : [invalidValue('type', after.type ?? '', 'field is immutable')]),
  ...validateFixed(after, before, ['data']),
];
