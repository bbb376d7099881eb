/** The protobuf messages of the served groups, from Kubernetes 1.37's `generated.proto`; those of `rollcall.v1` are Rollcall's own. */
import packages from './messages.json' with { type: 'json' };

/** The messages of a package, by name. */
type Messages = Readonly<Record<string, string>>;

/**
 * By package and message: its fields in the order of their numbers, such as `name, 3 taints []Taint, replicas! int32`.
 *
 * - A field's number is written before its name, unless it is one more than the previous number (1 for the first field).
 * - `!` marks a field whose empty value (`""`, 0, false, an empty list) is meaningful and stays: a pointer in Go, or a field without
 *   `omitempty`. All other fields are dropped when empty, as in Go. Source: kubernetes v1.34 `types.go` of the groups.
 * - `[]` marks a list, `{}` a map with string keys. A field without a type is a `string`. A type without a package is in
 *   the message's own package, or else in the first package of `SHARED` that has it.
 */
const PACKAGES = new Map<string, Messages>(Object.entries(packages));

/** Adds messages that a cold start does not load. They must not be there yet; their packages may. */
export const addPackages = (added: Readonly<Record<string, Messages>>): void => {
  for (const [pkg, messages] of Object.entries(added))
    PACKAGES.set(pkg, { ...PACKAGES.get(pkg), ...messages });
};

const BASIC = new Set(['string', 'bool', 'int32', 'int64', 'double', 'bytes']);
const SHARED = ['apis.meta.v1', 'api.resource', 'util.intstr', 'core.v1'];

/** One field of a protobuf message. */
export interface MessageField {
  readonly number: number;
  readonly name: string;
  /** Such as `int32` or `core.v1.Taint`; for a list or map, the type of its elements. */
  readonly type: string;
  /** Set for a list, or for a map with string keys. */
  readonly many?: 'list' | 'map';
  /** Whether an empty value stays. */
  readonly isKept: boolean;
}
/** The fields in the order of their numbers. */
export type Message = readonly MessageField[];

const textOf = (pkg: string, name: string): string | undefined => {
  const messages = PACKAGES.get(pkg);
  return messages && Object.hasOwn(messages, name) ? messages[name] : undefined;
};

const typeIn = (pkg: string, type: string): string => {
  if (BASIC.has(type) || type.includes('.')) return type;
  const home = [pkg, ...SHARED].find((one) => textOf(one, type) !== undefined);
  if (home === undefined) throw new Error(`${pkg} has a field of type ${type}, which is not a message`);
  return `${home}.${type}`;
};

const MANY = { '[]': 'list', '{}': 'map' } as const;
/** Such as `17 managedFields! []ManagedFieldsEntry`. */
const FIELD = /^(?:(\d+) )?(\w+)(!?)(?: (\[\]|\{\})?(\S+)?)?$/;

const readField = (text: string, next: number, pkg: string): MessageField => {
  const [, number = next, name, mark, many, type = 'string'] = FIELD.exec(text) ?? [];
  if (name === undefined) throw new Error(`${pkg} has a field that cannot be read: ${text}`);
  return {
    number: Number(number),
    name,
    type: typeIn(pkg, type),
    ...(many === '[]' || many === '{}' ? { many: MANY[many] } : {}),
    isKept: mark === '!',
  };
};

const readMessage = (text: string, pkg: string): Message => {
  const fields: MessageField[] = [];
  for (const field of text.split(', ')) fields.push(readField(field, (fields.at(-1)?.number ?? 0) + 1, pkg));
  return fields;
};

const known = new Map<string, Message>();

/** The fields of a message; `undefined` for scalars and unknown names, such as `core.v1.Nodes`. */
export const messageOf = (name: string): Message | undefined => {
  const found = known.get(name);
  if (found) return found;
  const dot = name.lastIndexOf('.');
  const pkg = name.slice(0, dot);
  const text = textOf(pkg, name.slice(dot + 1));
  if (text === undefined) return undefined;
  const message = readMessage(text, pkg);
  known.set(name, message);
  return message;
};

/** The names of all messages, such as `core.v1.Node`. */
export const messageNames = (): readonly string[] =>
  [...PACKAGES].flatMap(([pkg, messages]) => Object.keys(messages).map((name) => `${pkg}.${name}`));

const INLINED: ReadonlySet<string> = new Set([
  'core.v1.EphemeralContainer.ephemeralContainerCommon',
  'core.v1.PersistentVolumeSpec.persistentVolumeSource',
  'core.v1.Probe.handler',
  'core.v1.Volume.volumeSource',
  'networking.v1.IngressRule.ingressRuleValue',
  'resource.v1.DeviceAllocationConfiguration.deviceConfiguration',
  'resource.v1.DeviceClaimConfiguration.deviceConfiguration',
  'resource.v1.DeviceClassConfiguration.deviceConfiguration',
]);

/** Whether the field is an embedded struct in Go, whose fields JSON shows in the outer object. */
export const isInlined = (message: string, field: string): boolean =>
  field === 'localObjectReference' || INLINED.has(`${message}.${field}`);

/** Whether the message is a plain list in JSON. */
export const isListMessage = (message: string): boolean => message.endsWith('.ExtraValue');
