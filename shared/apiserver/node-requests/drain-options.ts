/** The options of a NodeDrain, checked field by field. */
import { type FieldError, invalidObject, invalidValue, tooLong } from '../../kube/errors/field-error.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { isObject, type JsonObject } from '../../kube/json/json-object.ts';
import { parseLabelSelector } from '../../kube/selector/label-selector.ts';
import { optional } from '../../kube/values/optional.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { DrainRequest } from '../../rules/drain/drain-request.ts';

/** The kind of the body and of the answer. */
export const NODE_DRAIN = { group: 'rollcall.dev', version: 'v1', kind: 'NodeDrain' } as const;

/** Longest time that a drain may be given: a year. */
const MAX_SECONDS = 365 * 24 * 3_600;
const MAX_REASON = 256;

type Check = (field: string, value: unknown) => readonly FieldError[];

const flag: Check = (field, value) =>
  typeof value === 'boolean' ? [] : [invalidValue(field, value, 'must be true or false')];

const seconds =
  (least: number): Check =>
  (field, value) => {
    const isFine = Number.isInteger(value) && Number(value) >= least && Number(value) <= MAX_SECONDS;
    const detail = `must be whole seconds from ${least} to ${MAX_SECONDS}`;
    return isFine ? [] : [invalidValue(field, value, detail)];
  };

const selector: Check = (field, value) => {
  if (typeof value !== 'string') return [invalidValue(field, value, 'must be a label selector')];
  try {
    parseLabelSelector(value);
    return [];
  } catch (error) {
    return [invalidValue(field, value, (error as Error).message)];
  }
};

const shortText: Check = (field, value) => {
  if (typeof value !== 'string') return [invalidValue(field, value, 'must be a string')];
  return value.length > MAX_REASON ? [tooLong(field, `may not be more than ${MAX_REASON} characters`)] : [];
};

const FIELDS: Readonly<Record<string, Check>> = {
  gracePeriodSeconds: seconds(0),
  timeoutSeconds: seconds(1),
  deleteAfterSeconds: seconds(0),
  disableEviction: flag,
  force: flag,
  ignoreDaemonSets: flag,
  deleteEmptyDirData: flag,
  podSelector: selector,
  reason: shortText,
};

const faultsOf = (spec: JsonObject): readonly FieldError[] =>
  Object.entries(spec).flatMap(([name, value]) => FIELDS[name]?.(`spec.${name}`, value) ?? []);

const checkMembers = (members: JsonObject, known: readonly string[], path: string): void => {
  const unknown = Object.keys(members).filter((name) => !known.includes(name));
  const [first] = unknown;
  if (first !== undefined)
    throw badRequest(`NodeDrain in version "v1" cannot be handled: unknown field "${path}${first}"`);
};

const checkTypeMeta = ({ kind, apiVersion }: JsonObject): void => {
  const isFine = (kind ?? NODE_DRAIN.kind) === NODE_DRAIN.kind;
  const isVersion = (apiVersion ?? 'rollcall.dev/v1') === 'rollcall.dev/v1';
  if (!isFine || !isVersion) throw badRequest('the body must be a NodeDrain of rollcall.dev/v1');
};

/** The Node that is meant; absent members match any. */
export interface MeantNode {
  readonly uid?: string;
  readonly resourceVersion?: string;
}

/**
 * `metadata.uid` and `metadata.resourceVersion` of a body: the drain is for the Node in that state only. As in the Binding of a pod. Throws 400 for values that are
 * no strings.
 */
export const readMeantNode = (body: unknown): MeantNode => {
  const metadata = isObject(body) ? body['metadata'] : undefined;
  if (!isObject(metadata)) return {};
  const members = ['uid', 'resourceVersion'].flatMap((name) => {
    const value = metadata[name];
    if (value === undefined || value === null || value === '') return [];
    if (typeof value !== 'string') throw badRequest(`metadata.${name} of the NodeDrain must be a string`);
    return [[name, value] as const];
  });
  return Object.fromEntries(members);
};

/** The spec of a body, `{}` for none. Throws 400 for other kinds and unknown fields, 422 for values that are not valid. */
export const readDrainSpec = (body: unknown, name: string): JsonObject => {
  if (body === undefined) return {};
  if (!isObject(body)) throw badRequest('the body must be a NodeDrain of rollcall.dev/v1');
  checkTypeMeta(body);
  checkMembers(body, ['kind', 'apiVersion', 'metadata', 'spec'], '');
  const spec = isObject(body['spec']) ? body['spec'] : {};
  checkMembers(spec, Object.keys(FIELDS), 'spec.');
  const faults = faultsOf(spec);
  if (faults.length > 0) throw invalidObject(NODE_DRAIN, name, faults);
  return spec;
};

const after = (seconds: unknown, now: EpochMs): EpochMs | undefined =>
  typeof seconds === 'number' ? now + seconds * 1000 : undefined;

/** The request that a checked spec asks for at `now` (ms). */
export const requestFrom = (
  spec: JsonObject,
  { id, by, now }: { readonly id: string; readonly by: string; readonly now: EpochMs },
): DrainRequest => {
  const deadlineAt = after(spec['timeoutSeconds'], now);
  const deleteAt = spec['disableEviction'] === true ? now : after(spec['deleteAfterSeconds'], now);
  const { gracePeriodSeconds: grace, podSelector } = spec;
  return {
    id,
    by,
    requestedAt: now,
    reason: typeof spec['reason'] === 'string' ? spec['reason'] : '',
    ...optional('deadlineAt', deadlineAt),
    ...optional('deleteAt', deleteAt),
    ...(typeof grace === 'number' ? { gracePeriodSeconds: grace } : {}),
    ...(typeof podSelector === 'string' && podSelector !== '' ? { podSelectors: [podSelector] } : {}),
    ...(spec['force'] === true ? { force: true } : {}),
    ...(spec['ignoreDaemonSets'] === true ? { ignoreDaemonSets: true } : {}),
    ...(spec['deleteEmptyDirData'] === true ? { deleteEmptyDirData: true } : {}),
  };
};
