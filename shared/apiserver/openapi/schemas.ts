/**
 * The schemas of an OpenAPI 3 document, derived from those that decode request bodies. Source of the form:
 * kube-openapi.
 */
import type { FieldType, ListType, MapType, Scalar, StructType } from '../../kube/schema/field-types.ts';
import { optional } from '../../kube/values/optional.ts';
import { DESCRIPTIONS } from './descriptions.ts';
import { REQUIRED_FIELDS } from './required-fields.ts';

/** A schema of OpenAPI 3, as it is written. */
export type OpenApiSchema = Readonly<Record<string, unknown>>;

const APIMACHINERY = /^(api\.resource|apis\.meta|util\.intstr|runtime)\./;

/** The values of string fields that take only a few. Source: kubernetes v1.34 `types.go`, the marker `+enum`. */
export const ENUMS: Readonly<Record<string, string>> = {
  'core.v1.Container.imagePullPolicy': 'Always IfNotPresent Never',
  'core.v1.Container.terminationMessagePolicy': 'FallbackToLogsOnError File',
  'core.v1.ContainerPort.protocol': 'SCTP TCP UDP',
  'core.v1.NamespaceStatus.phase': 'Active Terminating',
  'core.v1.NodeSelectorRequirement.operator': 'DoesNotExist Exists Gt In Lt NotIn',
  'core.v1.NodeStatus.phase': 'Pending Running Terminated',
  'core.v1.PodSpec.dnsPolicy': 'ClusterFirst ClusterFirstWithHostNet Default None',
  'core.v1.PodSpec.preemptionPolicy': 'Never PreemptLowerPriority',
  'core.v1.PodSpec.restartPolicy': 'Always Never OnFailure',
  'core.v1.PodStatus.phase': 'Failed Pending Running Succeeded Unknown',
  'core.v1.PodStatus.qosClass': 'BestEffort Burstable Guaranteed',
  'core.v1.Taint.effect': 'NoExecute NoSchedule PreferNoSchedule',
  'core.v1.Toleration.effect': 'NoExecute NoSchedule PreferNoSchedule',
  'core.v1.Toleration.operator': 'Equal Exists',
  'policy.v1.PodDisruptionBudgetSpec.unhealthyPodEvictionPolicy': 'AlwaysAllow IfHealthyBudget',
  'rollcall.v1.LifecyclePolicySpec.fullDisruption': 'Evict Hold Reduce',
  'rollcall.v1.LifecyclePolicySpec.onPartition': 'Evict Hold',
  'scheduling.v1.PriorityClass.preemptionPolicy': 'Never PreemptLowerPriority',
};

/** The name under which a type is published: `core.v1.Node` → `io.k8s.api.core.v1.Node`, `rollcall.v1.Zone` → `dev.rollcall.v1.Zone`. */
export const schemaNameOf = (message: string): string => {
  if (message.startsWith('rollcall.')) return `dev.${message}`;
  return APIMACHINERY.test(message) ? `io.k8s.apimachinery.pkg.${message}` : `io.k8s.api.${message}`;
};

/** A reference to the schema of this name. */
export const refTo = (name: string): OpenApiSchema => ({ $ref: `#/components/schemas/${name}` });

const PLAIN: Readonly<Partial<Record<Scalar, OpenApiSchema>>> = {
  string: { type: 'string' },
  bool: { type: 'boolean' },
  int32: { type: 'integer', format: 'int32' },
  int64: { type: 'integer', format: 'int64' },
  double: { type: 'number', format: 'double' },
  bytes: { type: 'string', format: 'byte' },
};

/** Scalars that have a named schema of their own. */
const NAMED: Readonly<Partial<Record<Scalar, { readonly message: string; readonly schema: OpenApiSchema }>>> =
  {
    time: { message: 'apis.meta.v1.Time', schema: { type: 'string', format: 'date-time' } },
    microTime: { message: 'apis.meta.v1.MicroTime', schema: { type: 'string', format: 'date-time' } },
    quantity: {
      message: 'api.resource.Quantity',
      schema: { oneOf: [{ type: 'string' }, { type: 'number' }] },
    },
    intOrString: {
      message: 'util.intstr.IntOrString',
      schema: { format: 'int-or-string', oneOf: [{ type: 'integer' }, { type: 'string' }] },
    },
    raw: { message: 'apis.meta.v1.FieldsV1', schema: { type: 'object' } },
  };

const strategyOf = ({ patchMergeKey, retainKeys }: ListType): string | undefined =>
  [...(patchMergeKey === undefined ? [] : ['merge']), ...(retainKeys ? ['retainKeys'] : [])].join(',') ||
  undefined;

const listTypeOf = ({ mapKeys }: ListType): OpenApiSchema => {
  if (mapKeys === undefined) return { 'x-kubernetes-list-type': 'atomic' };
  return mapKeys.length === 0
    ? { 'x-kubernetes-list-type': 'set' }
    : { 'x-kubernetes-list-type': 'map', 'x-kubernetes-list-map-keys': mapKeys };
};

const listSchema = (list: ListType): OpenApiSchema => {
  const strategy = strategyOf(list);
  return {
    type: 'array',
    items: schemaOfField(list.of),
    ...listTypeOf(list),
    ...(list.patchMergeKey ? { 'x-kubernetes-patch-merge-key': list.patchMergeKey } : {}),
    ...optional('x-kubernetes-patch-strategy', strategy),
  };
};

const mapSchema = ({ of, atomic }: MapType): OpenApiSchema => ({
  type: 'object',
  additionalProperties: schemaOfField(of),
  ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
});

const scalarSchema = (scalar: Scalar): OpenApiSchema =>
  PLAIN[scalar] ?? refTo(schemaNameOf(NAMED[scalar]?.message ?? ''));

const schemaOfField = (field: FieldType): OpenApiSchema => {
  if (field.type === 'list') return listSchema(field);
  if (field.type === 'map') return mapSchema(field);
  return field.type === 'struct' ? refTo(schemaNameOf(field.message)) : scalarSchema(field.type);
};

const describe = (message: string, field: string): string | undefined =>
  DESCRIPTIONS[message]?.[field] ?? (field === '' ? undefined : DESCRIPTIONS['*']?.[field]);

// Readers ignore members next to a `$ref`, so a described reference is put into `allOf`.
const described = (message: string, field: string, type: FieldType): OpenApiSchema => {
  const schema = schemaOfField(type);
  const values = ENUMS[`${message}.${field}`]?.split(' ');
  const description = describe(message, field);
  if (description === undefined && !values) return schema;
  return {
    ...optional('description', description),
    ...('$ref' in schema ? { allOf: [schema] } : schema),
    ...(values ? { enum: values } : {}),
  };
};

/** The schema of one struct; it refers to other types by `$ref`. */
export const structSchema = ({ message, fields, atomic }: StructType): OpenApiSchema => {
  const description = describe(message, '');
  const required = REQUIRED_FIELDS[message]?.split(' ');
  const properties = Object.entries(fields)
    .map(([name, field]) => [name, described(message, name, field)] as const)
    .sort(([a], [b]) => (a < b ? -1 : 1));
  return {
    ...optional('description', description),
    type: 'object',
    ...(required ? { required } : {}),
    properties: Object.fromEntries(properties),
    ...(atomic ? { 'x-kubernetes-map-type': 'atomic' } : {}),
  };
};

type Components = Map<string, OpenApiSchema>;

const addScalar = (scalar: Scalar, components: Components): void => {
  const named = NAMED[scalar];
  if (!named) return;
  const description = describe(named.message, '');
  components.set(schemaNameOf(named.message), { ...(description ? { description } : {}), ...named.schema });
};

const addField = (field: FieldType, components: Components): void => {
  if (field.type === 'list' || field.type === 'map') addField(field.of, components);
  else if (field.type === 'struct') addStruct(field, components);
  else addScalar(field.type, components);
};

/** Adds the schemas of a struct and of all types within it to `components`. */
export const addStruct = (struct: StructType, components: Components): void => {
  const name = schemaNameOf(struct.message);
  if (components.has(name)) return;
  components.set(name, structSchema(struct));
  for (const field of Object.values(struct.fields)) addField(field, components);
};
