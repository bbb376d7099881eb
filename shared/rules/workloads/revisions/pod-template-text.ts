/**
 * The text that Kubernetes hashes to name a ReplicaSet: a pod template as Go's library go-spew prints it, with types, field names and
 * fields without value. Source: apimachinery v1.34 `util/dump` `ForHash`, go-spew v1.1.1 `format.go`.
 */

import type { PodTemplateSpec } from '../../../kube/types/workloads.ts';
import { parseTime } from '../../../kube/values/time.ts';
import structs from './pod-template-types.json' with { type: 'json' };
import { quantityText } from './quantity-text.ts';

/*
 * pod-template-types.json has the fields of each struct in the order of Go's source (k8s.io/api v0.34): name, `=` and the name in JSON
 * if that does not follow from the name, type (a string if it is missing). `...` embeds a struct, whose members are those of the
 * object around it. Types that are named but not listed are strings. Ephemeral containers cannot be in a template.
 */
interface Field {
  readonly name: string;
  /** Name in JSON; `undefined`: the struct is embedded. */
  readonly member: string | undefined;
  readonly type: string;
}

type Members = Readonly<Record<string, unknown>>;

const BUILT_IN = new Set(['string', 'bool', 'int32', 'int64', 'map[string]string']);
const NIL = '<nil>';

/** `HTTPGet` → `httpGet`, `UID` → `uid`, `Name` → `name`. */
const memberName = (name: string): string =>
  name.replace(/^(?:[A-Z]+(?![a-z])|[A-Z]+(?=[A-Z])|[A-Z])/, (capitals) => capitals.toLowerCase());

const fieldFrom = (text: string): Field => {
  const [label = '', type = 'string'] = text.split(' ');
  if (label.startsWith('...')) return { name: label.slice(3), member: undefined, type: label.slice(3) };
  const [name = '', member = memberName(name)] = label.split('=');
  return { name, member, type };
};

const parsed = new Map<string, readonly Field[] | undefined>();

/** The fields of a struct; `undefined` for other types. */
const fieldsOf = (type: string): readonly Field[] | undefined => {
  if (!parsed.has(type)) {
    const text = (structs as Readonly<Record<string, string>>)[type];
    parsed.set(type, text?.split(', ').map(fieldFrom));
  }
  return parsed.get(type);
};

/** The name of a type as Go's `reflect` has it. */
const typeName = (type: string): string => {
  const prefix = /^(?:\*|\[\])?/.exec(type)?.[0] ?? '';
  const name = type.slice(prefix.length);
  return `${prefix}${BUILT_IN.has(name) || name.includes('.') ? name : `v1.${name}`}`;
};

/** Compares as Go does, by bytes of UTF-8: the order of code points. */
const byCodePoints = (a: string, b: string): number => {
  const [left, right] = [Array.from(a), Array.from(b)];
  const at = left.findIndex((character, place) => character !== right[place]);
  if (at < 0) return left.length - right.length;
  return (left[at]?.codePointAt(0) ?? 0) - (right[at]?.codePointAt(0) ?? -1);
};

type Print = (value: unknown) => string;

const mapText = (value: unknown, printOne: Print): string => {
  const entries = Object.entries((value ?? {}) as Members);
  if (entries.length === 0) return NIL;
  const sorted = entries.toSorted(([a], [b]) => byCodePoints(a, b));
  return `map[${sorted.map(([key, one]) => `${key}:${printOne(one)}`).join(' ')}]`;
};

const listText = (value: unknown, printOne: Print): string => {
  const items = (value ?? []) as readonly unknown[];
  return items.length === 0 ? NIL : `[${items.map(printOne).join(' ')}]`;
};

const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number' ? `${value}` : '';

const numberText = (value: unknown): string => scalarText(value ?? 0);

const intOrStringText = (value: unknown): string => {
  const [type, number, text] = typeof value === 'string' ? [1, 0, value] : [0, numberText(value), ''];
  return `{Type:(intstr.Type)${type} IntVal:(int32)${number} StrVal:(string)${text}}`;
};

/** Seconds between Go's first instant, in the year 1, and 1970. */
const YEAR_ONE_SECONDS = 62_135_596_800;
/** The local time zone of Kubernetes' image, which has no time zone file. */
const LOCAL =
  '{name:(string)UTC zone:([]time.zone)<nil> tx:([]time.zoneTrans)<nil> extend:(string) cacheStart:(int64)0 cacheEnd:(int64)0 cacheZone:(*time.zone)<nil>}';

const timeText = (value: unknown): string => {
  const at = typeof value === 'string' ? parseTime(value) : undefined;
  const seconds = at === undefined ? 0 : Math.floor(at / 1000) + YEAR_ONE_SECONDS;
  const zone = at === undefined ? NIL : LOCAL;
  return `{Time:(time.Time){wall:(uint64)0 ext:(int64)${seconds} loc:(*time.Location)${zone}}}`;
};

const bytesText = (value: unknown): string =>
  `{Raw:([]uint8)[${new TextEncoder().encode(JSON.stringify(value)).join(' ')}]}`;

const SPECIAL: Readonly<Record<string, Print>> = {
  bool: (value) => String(value === true),
  int32: numberText,
  int64: numberText,
  'map[string]string': (value) => mapText(value, scalarText),
  'intstr.IntOrString': intOrStringText,
  Time: timeText,
  FieldsV1: bytesText,
};

const structText = (fields: readonly Field[], value: unknown, quantity: Print): string => {
  const members = (value ?? {}) as Members;
  const texts = fields.map(({ name, member, type }) => {
    const own = member === undefined ? members : members[member];
    return `${name}:(${typeName(type)})${plainText(type, own, quantity)}`;
  });
  return `{${texts.join(' ')}}`;
};

/** A value without its type. */
const plainText = (type: string, value: unknown, quantity: Print): string => {
  if (type.startsWith('*'))
    return value === undefined || value === null ? NIL : plainText(type.slice(1), value, quantity);
  if (type.startsWith('[]')) return listText(value, (one) => plainText(type.slice(2), one, quantity));
  if (type === 'resource.Quantity') return quantity(value);
  if (type === 'ResourceList') return mapText(value, quantity);
  const fields = fieldsOf(type);
  return fields ? structText(fields, value, quantity) : (SPECIAL[type] ?? scalarText)(value);
};

/** Prints a template as it is stored, with defaults. `quantity` prints the amounts of resources. */
export const podTemplateText = (template: PodTemplateSpec, quantity: Print = quantityText): string =>
  `(v1.PodTemplateSpec)${plainText('PodTemplateSpec', template, quantity)}`;
