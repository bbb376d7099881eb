/** Reads what the page asks for: an action of the list with values that the API itself would take. Nothing else is asked of the API. */

import { readDrainSpec, requestFrom } from '../../../shared/apiserver/node-requests/drain-options.ts';
import { validateTaints } from '../../../shared/kinds/pod-spec/taints.ts';
import { badRequest, StatusError } from '../../../shared/kube/errors/status-error.ts';
import { isObject, type JsonObject } from '../../../shared/kube/json/json-object.ts';
import type { Taint } from '../../../shared/kube/types/core.ts';
import { dnsSubdomainFaults } from '../../../shared/kube/values/names.ts';
import type { NodeAction } from '../../../shared/rules/node-actions/node-action.ts';
import { ACTIONS, type ActionName, type PerformRequest } from '../../wire/actions.ts';

/** An action on a node, checked. */
export interface AskedAction {
  readonly node: string;
  readonly action: NodeAction;
  /** The spec of the NodeDrain. */
  readonly drainSpec?: JsonObject;
}

/** Who is named as the author of a drain until the API names the user of the token. */
const BY = 'the dashboard';
const CHOICES = ['force', 'deleteEmptyDirData', 'timeoutSeconds', 'reason'];

const invalid = (message: string): StatusError => new StatusError('Invalid', message);

const checkMembers = (members: JsonObject, known: readonly string[], path = ''): void => {
  const unknown = Object.keys(members).find((name) => !known.includes(name));
  if (unknown !== undefined)
    throw badRequest(`unknown field "${path}${unknown}"; known are ${known.join(', ')}`);
};

const textOf = (members: JsonObject, name: string, path = ''): string => {
  const value = members[name] ?? '';
  if (typeof value !== 'string') throw badRequest(`${path}${name} must be a string`);
  return value;
};

const objectOf = (members: JsonObject, name: string): JsonObject => {
  const value = members[name] ?? {};
  if (!isObject(value)) throw badRequest(`${name} must be an object`);
  return value;
};

const taintOf = (members: JsonObject): Taint => {
  const given = objectOf(members, 'taint');
  checkMembers(given, ['key', 'value', 'effect'], 'taint.');
  const [key, value] = [textOf(given, 'key', 'taint.'), textOf(given, 'value', 'taint.')];
  const effect = textOf(given, 'effect', 'taint.') as Taint['effect'];
  const taint = { key, ...(value === '' ? {} : { value }), effect };
  const faults = validateTaints([taint], 'taint');
  if (faults.length > 0)
    throw invalid(faults.map(({ field, message }) => `${field.replace('[0]', '')}: ${message}`).join('; '));
  return taint;
};

/** Pods of DaemonSets always stay: who drains a node from a page knows that. */
const drainSpecOf = (members: JsonObject, node: string): JsonObject => {
  const given = objectOf(members, 'drain');
  checkMembers(given, CHOICES, 'drain.');
  return readDrainSpec({ spec: { ...given, ignoreDaemonSets: true } }, node);
};

const actionNameOf = (members: JsonObject): ActionName => {
  const name = textOf(members, 'action');
  const found = ACTIONS.find((one) => one === name);
  if (!found)
    throw invalid(`action: there is no action "${name.slice(0, 40)}"; there are ${ACTIONS.join(', ')}`);
  return found;
};

const MEMBERS: Readonly<Partial<Record<ActionName, string>>> = {
  taint: 'taint',
  untaint: 'taint',
  drain: 'drain',
};

/**
 * Reads a PreviewRequest at `now` (ms). `id` names the drain until the API has named it. Throws a StatusError that names the field: 400 for what cannot be read, 422 for values that
 * are not valid.
 */
export const readPreviewRequest = (body: unknown, id: string, now: number): AskedAction => {
  if (!isObject(body)) throw badRequest('the body must be an object with node and action');
  const kind = actionNameOf(body);
  checkMembers(body, ['node', 'action', ...(MEMBERS[kind] === undefined ? [] : [MEMBERS[kind]])]);
  const node = textOf(body, 'node');
  const [fault] = dnsSubdomainFaults(node);
  if (fault !== undefined) throw invalid(`node: ${fault}`);
  if (kind === 'taint' || kind === 'untaint') return { node, action: { kind, taint: taintOf(body) } };
  if (kind !== 'drain') return { node, action: { kind } };
  const drainSpec = drainSpecOf(body, node);
  return { node, action: { kind, request: requestFrom(drainSpec, { id, by: BY, now }) }, drainSpec };
};

/** Reads a PerformRequest. Throws 400. */
export const readPerformRequest = (body: unknown): PerformRequest => {
  if (!isObject(body)) throw badRequest('the body must be an object with ticket');
  checkMembers(body, ['ticket', 'isOff']);
  const ticket = textOf(body, 'ticket');
  if (ticket === '') throw badRequest('ticket: ask for a preview first, and give its ticket');
  return { ticket, isOff: body['isOff'] === true };
};
