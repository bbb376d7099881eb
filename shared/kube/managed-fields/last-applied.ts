/**
 * Migrates objects from kubectl's older client-side apply to server-side apply, by the last-applied annotation.
 * Source: apimachinery v1.34 `util/managedfields/internal/lastappliedmanager.go`, `lastappliedupdater.go`.
 */
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import type { StructType } from '../schema/field-types.ts';
import type { FieldSet } from './field-set.ts';
import { difference, emptySet, isEmptySet } from './field-set.ts';
import { fieldSetOf } from './set-of.ts';

const ANNOTATION = 'kubectl.kubernetes.io/last-applied-configuration';
/** The field manager whose applies read and update the annotation. */
const MANAGER = 'kubectl';

const annotationsOf = (object: object): JsonObject => {
  const { metadata } = object as { readonly metadata?: unknown };
  const annotations = isObject(metadata) ? metadata['annotations'] : undefined;
  return isObject(annotations) ? annotations : {};
};

const lastAppliedOf = (live: object): unknown => {
  const text = annotationsOf(live)[ANNOTATION];
  try {
    return typeof text === 'string' ? (JSON.parse(text) as unknown) : undefined;
  } catch {
    return undefined; // Not written by kubectl: it permits nothing.
  }
};

/** The conflicts that remain after kubectl takes over the fields that its client-side apply had set. */
export const remainingConflicts = (
  conflicts: ReadonlyMap<string, FieldSet>,
  live: object,
  manager: string,
  schema: StructType,
): ReadonlyMap<string, FieldSet> => {
  if (manager !== MANAGER || conflicts.size === 0) return conflicts;
  const last = lastAppliedOf(live);
  const allowed = isObject(last) ? fieldSetOf(last, schema) : emptySet();
  return new Map(
    [...conflicts]
      .map(([id, fields]) => [id, difference(fields, allowed)] as const)
      .filter(([, fields]) => !isEmptySet(fields)),
  );
};

const sortedMembers = (_name: string, value: unknown): unknown =>
  isObject(value) ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1))) : value;

// Escapes the characters that Go's JSON escapes.
const escaped = (json: string): string =>
  json.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );

const withAnnotations = (object: JsonObject, annotations: JsonObject): JsonObject => ({
  ...object,
  metadata: { ...(isObject(object['metadata']) ? object['metadata'] : {}), annotations },
});

const withoutAnnotation = (config: JsonObject): JsonObject => {
  const { [ANNOTATION]: last, ...others } = annotationsOf(config);
  return last === undefined ? config : withAnnotations(config, others);
};

/** The applied object with an updated annotation, if it has one. */
export const withLastApplied = (object: object, config: JsonObject, manager: string): object => {
  const annotations = annotationsOf(object);
  if (manager !== MANAGER || annotations[ANNOTATION] === undefined) return object;
  const text = `${escaped(JSON.stringify(withoutAnnotation(config), sortedMembers))}\n`;
  return withAnnotations(object as JsonObject, { ...annotations, [ANNOTATION]: text });
};
