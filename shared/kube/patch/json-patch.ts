/**
 * JSON patches. Source: RFC 6902, with three deviations of the library that Kubernetes uses: `replace` adds a missing
 * member, list indices may be negative, a missing `value` means null.
 */

import { badRequest, requestEntityTooLarge } from '../errors/status-error.ts';
import { goJsonKind } from '../json/go-json-kind.ts';
import type { JsonObject } from '../json/json-object.ts';
import { isObject } from '../json/json-object.ts';
import type { Draft } from './draft.ts';
import {
  addChild,
  draftOf,
  equals,
  finished,
  holderAt,
  isDeeper,
  removeChild,
  setChild,
  valueAt,
} from './draft.ts';
import { MAX_PATCH_DEPTH } from './patch-depth.ts';
import { rejectedPatch } from './patch-error.ts';

/** The most operations that one patch may have. Source: apiserver v1.34 `maxJSONPatchOperations`. */
const MAX_OPERATIONS = 10_000;
/** The most bytes that the `copy` operations of one patch may add. Kubernetes: `JSONPatchMaxCopyBytes`. */
const MAX_COPIED_BYTES = 3_145_728;

type Path = readonly string[];

/**
 * Splits a JSON pointer into tokens. Text before the first slash is ignored. Throws 422 for a pointer without a slash
 * or with too many tokens.
 */
const tokensOf = (pointer: unknown): Path => {
  if (typeof pointer !== 'string' || !pointer.includes('/')) throw rejectedPatch();
  const tokens = pointer.split('/', MAX_PATCH_DEPTH + 2).slice(1);
  if (tokens.length > MAX_PATCH_DEPTH) throw rejectedPatch();
  return tokens.map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
};

interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

interface Patching {
  readonly document: Draft;
  /** Bytes that `copy` operations have added so far. */
  copied: number;
}

type Apply = (patching: Patching, path: Path, operation: Operation) => void;

const lastOf = (path: Path): string => path.at(-1) ?? '';

const add: Apply = ({ document }, path, { value = null }) =>
  addChild(holderAt(document, path), lastOf(path), value);

const remove: Apply = ({ document }, path) => removeChild(holderAt(document, path), lastOf(path));

const move: Apply = (patching, path, operation) => {
  const from = tokensOf(operation.from);
  const value = valueAt(patching.document, from);
  remove(patching, from, operation);
  add(patching, path, { value });
};

const copy: Apply = (patching, path, { from }) => {
  const found = valueAt(patching.document, tokensOf(from));
  // The copy is serialized to measure its bytes, so check first that it is not nested too deeply for that.
  if (isDeeper(found, MAX_PATCH_DEPTH)) throw rejectedPatch();
  const value = finished(found);
  patching.copied += JSON.stringify(value)?.length ?? 0;
  if (patching.copied > MAX_COPIED_BYTES) throw rejectedPatch();
  add(patching, path, { value });
};

const test: Apply = ({ document }, path, { value = null }) => {
  if (!equals(valueAt(document, path) ?? null, value)) throw rejectedPatch();
};

const OPERATIONS: Readonly<Record<string, Apply>> = {
  add,
  remove,
  replace: ({ document }, path, { value = null }) => setChild(holderAt(document, path), lastOf(path), value),
  move,
  copy,
  test,
};

const operationOf = ({ op }: Operation): Apply => {
  const known = typeof op === 'string' && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (!known) throw rejectedPatch();
  return known;
};

const checkCount = (operations: readonly unknown[]): void => {
  if (operations.length > MAX_OPERATIONS)
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
};

/**
 * Reads the list of operations without checking each one. Throws 400 unless it is a list of objects, 413 for too many.
 */
export const readJsonPatch = (patch: unknown): readonly JsonObject[] => {
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goJsonKind(patch)} into Go value of type []interface {}`,
    );
  const odd = patch.find((operation) => operation !== null && !isObject(operation)) as unknown;
  if (odd !== undefined)
    throw badRequest(
      `json: cannot unmarshal ${Array.isArray(odd) ? 'array' : goJsonKind(odd)} into Go value of type jsonpatch.Operation`,
    );
  checkCount(patch);
  return patch.map((operation: unknown) => (isObject(operation) ? operation : {}));
};

const KNOWN: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Unknown members of patch operations, in strict decoding's wording. */
export const unknownMembers = (operations: readonly JsonObject[]): readonly string[] =>
  operations.flatMap((operation, index) =>
    Object.keys(operation).flatMap((name) =>
      KNOWN.has(name) ? [] : [`json patch unknown field "[${index}].${name}"`],
    ),
  );

/** Applies the operations in order. Throws 422 if one does not apply or the result is nested too deeply. */
export const applyJsonPatch = (target: unknown, operations: readonly JsonObject[]): unknown => {
  const patching: Patching = { document: draftOf(target), copied: 0 };
  for (const operation of operations as readonly Operation[])
    operationOf(operation)(patching, tokensOf(operation.path), operation);
  if (isDeeper(patching.document, 2 * MAX_PATCH_DEPTH)) throw rejectedPatch();
  return finished(patching.document);
};
