/** Reads what a relay sends. */
import { badRequest } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import type { ReportedAge } from '../../rules/relays/merge-ages.ts';
import { MOST_IN_PART, MOST_PARTS } from '../../rules/relays/relay-items.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../rules/relays/relay-name.ts';
import { checkBodySize, checkMediaType, parseJson } from '../body/body.ts';
import type { HttpRequest } from '../contract/http.ts';

/** Most bytes of a batch: 100 nodes and 40 tokens with long names. */
export const BATCH_BODY_LIMIT = 131_072;
/** Most tokens of one batch. */
const MOST_ENROLMENTS = 40;

/** A node that joins the relay, with the token that it has shown. */
export interface ShownToken {
  readonly name: string;
  readonly token: string;
}

/** What a relay sends. */
export interface SentBatch {
  readonly relay: string;
  readonly part: number;
  readonly sequence: number;
  /** The `workChanges` of the last answer; absent: tell the work of all nodes. */
  readonly workChanges?: number;
  readonly enrol: readonly ShownToken[];
  readonly nodes: readonly ReportedAge[];
}

type Json = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isCount = (value: unknown, least: number, most: number): value is number =>
  typeof value === 'number' && Number.isSafeInteger(value) && value >= least && value <= most;

const isText = (value: unknown): value is string => typeof value === 'string' && value !== '';

const listOf = (value: unknown, name: string, most: number): readonly Json[] => {
  if (value === undefined) return [];
  if (Array.isArray(value) && value.length <= most && value.every(isObject)) return value;
  throw badRequest(`${name} must be a list of at most ${most} objects`);
};

const checkUnique = (items: readonly { readonly name: string }[], list: string): void => {
  if (new Set(items.map(({ name }) => name)).size < items.length)
    throw badRequest(`${list} must name each node once`);
};

const ageOf = ({ name, uid, ageMs, plain }: Json): ReportedAge => {
  if (!isText(name) || !isText(uid))
    throw badRequest('each of nodes must have the name and the uid of a Node');
  if (typeof ageMs !== 'number' || !Number.isFinite(ageMs) || ageMs < 0)
    throw badRequest(`ageMs of node ${JSON.stringify(name)} must be a number of milliseconds, 0 or more`);
  if (plain !== undefined && typeof plain !== 'boolean') throw badRequest('plain must be true or false');
  return { name, uid, ageMs: Math.floor(ageMs), isPlain: plain === true };
};

const tokenOf = ({ name, token }: Json): ShownToken => {
  if (isText(name) && isText(token)) return { name, token };
  throw badRequest('each of enrol must have the name of a Node and its token');
};

const headOf = ({ relay, part = 0, sequence, workChanges }: Json) => {
  if (!isText(relay) || !isRelayName(relay))
    throw badRequest(`relay must be the name of the relay: ${RELAY_NAME_FORM}`);
  if (!isCount(part, 0, MOST_PARTS - 1))
    throw badRequest(`part must be a number from 0 to ${MOST_PARTS - 1}`);
  if (!isCount(sequence, 1, Number.MAX_SAFE_INTEGER))
    throw badRequest('sequence must be a whole number, 1 or more');
  if (workChanges !== undefined && !isCount(workChanges, 0, Number.MAX_SAFE_INTEGER))
    throw badRequest('workChanges must be that of the last answer');
  return { relay, part, sequence, ...optional('workChanges', workChanges) };
};

/** Reads a batch. Throws 400, 413 and 415. */
export const readBatch = (request: HttpRequest): SentBatch => {
  checkBodySize(request, BATCH_BODY_LIMIT);
  checkMediaType(request, 'application/json');
  const body = parseJson(request.body, (complaint) => badRequest(`the batch is not JSON: ${complaint}`));
  if (!isObject(body)) throw badRequest('the batch must be a JSON object');
  const enrol = listOf(body['enrol'], 'enrol', MOST_ENROLMENTS).map(tokenOf);
  const nodes = listOf(body['nodes'], 'nodes', MOST_IN_PART).map(ageOf);
  checkUnique(enrol, 'enrol');
  checkUnique(nodes, 'nodes');
  return { ...headOf(body), enrol, nodes };
};
