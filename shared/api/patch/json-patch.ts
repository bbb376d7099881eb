/**
 * JSON patches. Source: RFC 6902, with the quirks of the library that Kubernetes uses: `replace` of a missing member adds
 * it, list indices may be negative, a missing `value` is null.
 */
import { deepEqual } from '../deep-equal.ts';
import type { JsonObject } from '../json-object.ts';
import { isObject } from '../json-object.ts';
import { badRequest, requestEntityTooLarge } from '../status-error.ts';
import { rejectedPatch } from './patch-error.ts';

type Container = JsonObject | readonly unknown[];

/** Operations that one patch may have. Source: apiserver v1.34 `maxJSONPatchOperations`. */
const MAX_OPERATIONS = 10_000;
/** Bytes that the `copy` operations of a patch may add. Kubernetes: `JSONPatchMaxCopyBytes`. */
const MAX_COPIED_BYTES = 3_145_728;

const isContainer = (value: unknown): value is Container => typeof value === 'object' && value !== null;

/** The tokens of a pointer; what stands before the first slash is ignored. */
const tokensOf = (pointer: unknown): readonly string[] => {
  if (typeof pointer !== 'string' || !pointer.includes('/')) throw rejectedPatch();
  return pointer
    .split('/')
    .slice(1)
    .map((token) => token.replaceAll('~1', '/').replaceAll('~0', '~'));
};

const indexIn = (token: string, length: number): number => {
  const index = /^[+-]?\d+$/.test(token) ? Number(token) : Number.NaN;
  const counted = index < 0 ? index + length : index;
  if (!(counted >= 0 && counted < length)) throw rejectedPatch();
  return counted;
};

const childOf = (container: Container, token: string): unknown => {
  if (isObject(container)) return Object.hasOwn(container, token) ? container[token] : undefined;
  return container[indexIn(token, container.length)];
};

// Members are copied as own members, so a member named `__proto__` is one like any other.
const withChild = (container: Container, token: string, value: unknown): Container =>
  isObject(container)
    ? { ...container, [token]: value }
    : container.with(indexIn(token, container.length), value);

const withoutChild = (container: Container, token: string): Container => {
  if (!isObject(container)) return container.toSpliced(indexIn(token, container.length), 1);
  if (!Object.hasOwn(container, token)) throw rejectedPatch();
  return Object.fromEntries(Object.entries(container).filter(([name]) => name !== token));
};

const withAdded = (container: Container, token: string, value: unknown): Container => {
  if (isObject(container)) return { ...container, [token]: value };
  const at = token === '-' ? container.length : indexIn(token, container.length + 1);
  return container.toSpliced(at, 0, value);
};

type Change = (container: Container, token: string) => Container;

const changeAt = (document: unknown, [token = '', ...rest]: readonly string[], change: Change): Container => {
  if (!isContainer(document)) throw rejectedPatch();
  if (rest.length === 0) return change(document, token);
  return withChild(document, token, changeAt(childOf(document, token), rest, change));
};

const valueAt = (document: unknown, tokens: readonly string[]): unknown =>
  tokens.reduce<unknown>((value, token) => {
    if (!isContainer(value)) throw rejectedPatch();
    return childOf(value, token);
  }, document);

interface Operation {
  readonly op?: unknown;
  readonly path?: unknown;
  readonly from?: unknown;
  readonly value?: unknown;
}

type Apply = (document: unknown, path: readonly string[], operation: Operation) => unknown;

const add: Apply = (document, path, { value = null }) =>
  changeAt(document, path, (container, token) => withAdded(container, token, value));

const remove: Apply = (document, path) => changeAt(document, path, withoutChild);

const OPERATIONS: Readonly<Record<string, Apply>> = {
  add,
  remove,
  replace: (document, path, { value = null }) =>
    changeAt(document, path, (container, token) => withChild(container, token, value)),
  move: (document, path, operation) => {
    const from = tokensOf(operation.from);
    const value = valueAt(document, from);
    return add(remove(document, from, operation), path, { value });
  },
  copy: (document, path, { from }) => add(document, path, { value: valueAt(document, tokensOf(from)) }),
  test: (document, path, { value = null }) => {
    if (!deepEqual(valueAt(document, path) ?? null, value)) throw rejectedPatch();
    return document;
  },
};

const operationOf = ({ op }: Operation): Apply => {
  const known = typeof op === 'string' && Object.hasOwn(OPERATIONS, op) ? OPERATIONS[op] : undefined;
  if (!known) throw rejectedPatch();
  return known;
};

const copiedBytes = (document: unknown, { op, from }: Operation): number =>
  op === 'copy' ? (JSON.stringify(valueAt(document, tokensOf(from)))?.length ?? 0) : 0;

const checkCount = (operations: readonly unknown[]): void => {
  if (operations.length > MAX_OPERATIONS)
    throw requestEntityTooLarge(
      `The allowed maximum operations in a JSON patch is ${MAX_OPERATIONS}, got ${operations.length}`,
    );
};

const goKind = (value: unknown): string => (typeof value === 'boolean' ? 'bool' : typeof value);

/** The operations of a patch, not yet looked into. Throws 400 for what is no list of objects, 413 for too many. */
export const readJsonPatch = (patch: unknown): readonly JsonObject[] => {
  if (patch === null) return [];
  if (!Array.isArray(patch))
    throw badRequest(
      `error decoding patch: json: cannot unmarshal ${goKind(patch)} into Go value of type []interface {}`,
    );
  const odd = patch.find((operation) => operation !== null && !isObject(operation)) as unknown;
  if (odd !== undefined)
    throw badRequest(
      `json: cannot unmarshal ${Array.isArray(odd) ? 'array' : goKind(odd)} into Go value of type jsonpatch.Operation`,
    );
  checkCount(patch);
  return patch.map((operation: unknown) => (isObject(operation) ? operation : {}));
};

const KNOWN: ReadonlySet<string> = new Set(['op', 'path', 'from', 'value']);

/** Members of operations that mean nothing, as strict decoding names them. */
export const unknownMembers = (operations: readonly JsonObject[]): readonly string[] =>
  operations.flatMap((operation, index) =>
    Object.keys(operation).flatMap((name) =>
      KNOWN.has(name) ? [] : [`json patch unknown field "[${index}].${name}"`],
    ),
  );

/** The target after all operations, in their order. Throws 422 where one does not apply. */
export const applyJsonPatch = (target: unknown, operations: readonly JsonObject[]): unknown => {
  let copied = 0;
  return operations.reduce<unknown>((document, operation: Operation) => {
    copied += copiedBytes(document, operation);
    if (copied > MAX_COPIED_BYTES) throw rejectedPatch();
    return operationOf(operation)(document, tokensOf(operation.path), operation);
  }, target);
};
