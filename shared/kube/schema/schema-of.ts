import type { FieldType, MapType, ScalarType, StructType } from './field-types.ts';
import { ATOMIC, LIST_SEMANTICS } from './list-semantics.ts';
import { isInlined, isListMessage, type MessageField, messageOf } from './messages.ts';

const SCALARS: Readonly<Record<string, ScalarType>> = {
  string: { type: 'string' },
  bool: { type: 'bool' },
  int32: { type: 'int32' },
  int64: { type: 'int64' },
  double: { type: 'double' },
  bytes: { type: 'bytes', keep: true },
  'apis.meta.v1.Time': { type: 'time' },
  'apis.meta.v1.MicroTime': { type: 'microTime' },
  'apis.meta.v1.FieldsV1': { type: 'raw', keep: true },
  'api.resource.Quantity': { type: 'quantity', keep: true },
  'runtime.RawExtension': { type: 'raw', keep: true },
  'util.intstr.IntOrString': { type: 'intOrString', keep: true },
};

/**
 * Fields that are present even if they were not set. Go's `omitempty` never omits a struct: an unset time is `null`, any
 * other struct `{}`. A string without `omitempty` is `""`. Fields that a kind's defaults fill are not listed.
 */
export const ALWAYS: Readonly<Record<string, string>> = {
  'core.v1.ContainerStateRunning': 'startedAt',
  'core.v1.ContainerStateTerminated': 'startedAt finishedAt',
  'core.v1.ContainerStatus': 'state lastState',
  'core.v1.NodeAddress': 'type address',
  'core.v1.NodeCondition': 'type status lastHeartbeatTime lastTransitionTime',
  'core.v1.PodCondition': 'type status lastProbeTime lastTransitionTime',
};

const kept = (type: FieldType): FieldType =>
  type.type === 'struct' || type.type === 'map' || type.type === 'list' ? type : { ...type, keep: true };

const typeOf = (name: string): FieldType => {
  const scalar = SCALARS[name];
  if (scalar) return scalar;
  return isListMessage(name) ? { type: 'list', of: kept(typeOf('string')) } : schemaOf(name);
};

const mapOf = (values: string, path: string): MapType => ({
  type: 'map',
  of: kept(typeOf(values)),
  ...(ATOMIC.has(path) ? { atomic: true } : {}),
});

/** Fields that hold whole objects, with `apiVersion` and `kind`. */
const OBJECTS: ReadonlySet<string> = new Set([
  'apps.v1.StatefulSetSpec.volumeClaimTemplates',
  'policy.v1.Eviction.deleteOptions',
]);

const fieldType = (message: string, { name, type, many, isKept }: MessageField): FieldType => {
  const path = `${message}.${name}`;
  if (OBJECTS.has(path)) return many === 'list' ? { type: 'list', of: kindSchema(type) } : kindSchema(type);
  if (many === 'map') return mapOf(type, path);
  const keep = isKept ? { keep: true } : {};
  if (many === 'list') return { type: 'list', of: kept(typeOf(type)), ...LIST_SEMANTICS[path], ...keep };
  return isKept ? kept(typeOf(type)) : typeOf(type);
};

const fieldsOf = (message: string): readonly (readonly [string, FieldType])[] =>
  (messageOf(message) ?? []).flatMap((field) =>
    isInlined(message, field.name)
      ? fieldsOf(field.type)
      : [[field.name, fieldType(message, field)] as const],
  );

const known = new Map<string, StructType>();

/** The schema of a message, such as `core.v1.NodeSpec`. */
export const schemaOf = (message: string): StructType => {
  const found = known.get(message);
  if (found) return found;
  let fields: StructType['fields'] | undefined;
  const schema: StructType = {
    type: 'struct',
    name: message.split('.').at(-1) ?? '',
    message,
    // Built on first use: a cold start needs only a few of the hundreds of messages.
    get fields() {
      fields ??= Object.fromEntries(fieldsOf(message));
      return fields;
    },
    ...(ATOMIC.has(message) ? { atomic: true } : {}),
    ...(ALWAYS[message] === undefined ? {} : { always: ALWAYS[message].split(' ') }),
  };
  known.set(message, schema);
  return schema;
};

const TYPE_META: Readonly<Record<string, FieldType>> = {
  apiVersion: { type: 'string' },
  kind: { type: 'string' },
};

/** The schema of an object or another body with `apiVersion` and `kind`, such as `core.v1.Node`. */
export const kindSchema = (message: string): StructType => {
  const schema = schemaOf(message);
  return { ...schema, fields: { ...TYPE_META, ...schema.fields } };
};
