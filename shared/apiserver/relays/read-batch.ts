/** Reads what a relay sends: one part (version 1), or several (version 2). */
import { badRequest, StatusError } from '../../kube/errors/status-error.ts';
import { optional } from '../../kube/values/optional.ts';
import { TOGETHER } from '../../rules/relays/batch-versions.ts';
import type { ReportedAge } from '../../rules/relays/merge-ages.ts';
import { MOST_IN_PART, MOST_PARTS } from '../../rules/relays/relay-items.ts';
import { isRelayName, RELAY_NAME_FORM } from '../../rules/relays/relay-name.ts';
import { checkBodySize, checkMediaType } from '../body/body.ts';
import { readJson } from '../body/json.ts';
import type { HttpRequest } from '../contract/http.ts';

/** Most bytes of a batch of one part: 100 nodes and 40 tokens with long names. */
const PART_BODY_LIMIT = 131_072;
/** Most tokens of one part. */
const MOST_ENROLMENTS = 40;

/** A node that joins the relay, with the token that it has shown. */
export interface ShownToken {
  readonly name: string;
  readonly token: string;
}

/** What a relay sends of one part. */
export interface SentPart {
  readonly part: number;
  readonly sequence: number;
  /** The `workChanges` of the last answer; absent: tell the work of all nodes. */
  readonly workChanges?: number;
  readonly enrol: readonly ShownToken[];
  readonly nodes: readonly ReportedAge[];
}

/** A part of which something is wrong, and what. */
export interface FaultyPart {
  readonly part: number;
  readonly fault: StatusError;
}

/** What a relay sends. */
export type SentBatch =
  | { readonly version: 1; readonly relay: string; readonly part: SentPart }
  | { readonly version: 2; readonly relay: string; readonly parts: readonly (SentPart | FaultyPart)[] };

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

const relayOf = ({ relay }: Json): string => {
  if (isText(relay) && isRelayName(relay)) return relay;
  throw badRequest(`relay must be the name of the relay: ${RELAY_NAME_FORM}`);
};

const numberOf = ({ part = 0 }: Json): number => {
  if (isCount(part, 0, MOST_PARTS - 1)) return part;
  throw badRequest(`part must be a number from 0 to ${MOST_PARTS - 1}`);
};

const countsOf = ({ sequence, workChanges }: Json) => {
  if (!isCount(sequence, 1, Number.MAX_SAFE_INTEGER))
    throw badRequest('sequence must be a whole number, 1 or more');
  if (workChanges !== undefined && !isCount(workChanges, 0, Number.MAX_SAFE_INTEGER))
    throw badRequest('workChanges must be that of the last answer');
  return { sequence, ...optional('workChanges', workChanges) };
};

const partOf = (sent: Json): SentPart => {
  const enrol = listOf(sent['enrol'], 'enrol', MOST_ENROLMENTS).map(tokenOf);
  const nodes = listOf(sent['nodes'], 'nodes', MOST_IN_PART).map(ageOf);
  checkUnique(enrol, 'enrol');
  checkUnique(nodes, 'nodes');
  return { part: numberOf(sent), ...countsOf(sent), enrol, nodes };
};

/** What is wrong with one part is no reason to refuse the others (J-327). */
const partOrFault = (sent: Json): SentPart | FaultyPart => {
  try {
    if (sent['relay'] !== undefined) throw badRequest('a part has no relay of its own');
    return partOf(sent);
  } catch (error) {
    if (error instanceof StatusError) return { part: numberOf(sent), fault: error };
    throw error;
  }
};

const tokensIn = ({ enrol }: Json): number => (Array.isArray(enrol) ? enrol.length : 0);

const partsOf = ({ parts }: Json): readonly (SentPart | FaultyPart)[] => {
  const sent = listOf(parts, 'parts', TOGETHER.parts);
  if (sent.length === 0) throw badRequest('parts must have a part');
  if (new Set(sent.map(numberOf)).size < sent.length) throw badRequest('parts must name each part once');
  if (sent.reduce((sum, one) => sum + tokensIn(one), 0) > TOGETHER.tokens)
    throw badRequest(`enrol of all parts must have at most ${TOGETHER.tokens} tokens`);
  return sent.map(partOrFault);
};

/** Reads a batch. Throws 400, 413 and 415. */
export const readBatch = (request: HttpRequest): SentBatch => {
  checkBodySize(request, TOGETHER.bytes);
  checkMediaType(request, 'application/json');
  const notJson = (complaint: string) => badRequest(`the batch is not JSON: ${complaint}`);
  const body = readJson(request.body, notJson, TOGETHER.values).value;
  if (!isObject(body)) throw badRequest('the batch must be a JSON object');
  const { version = 1 } = body;
  if (version === 2) return { version, relay: relayOf(body), parts: partsOf(body) };
  if (version !== 1) throw badRequest('version must be 1 or 2');
  checkBodySize(request, PART_BODY_LIMIT);
  return { version, relay: relayOf(body), part: partOf(body) };
};
