/** What a client wants to be answered with, read from `Accept`. Source: apiserver v1.34 `endpoints/handlers/negotiation`. */
import { notAcceptable, StatusError } from '../../api/status-error.ts';
import type { RequestHead } from '../http.ts';
import type { Accepted, Transform } from './accepted.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from './accepted.ts';

const MEDIA_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE] as const;
const STREAM_TYPES = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`] as const;

export interface Clause {
  readonly type: string;
  readonly subtype: string;
  readonly quality: number;
  readonly parameters: ReadonlyMap<string, string>;
}

const parameterOf = (text: string): readonly [string, string] | undefined => {
  const [name = '', value = '', ...more] = text.split('=').map((part) => part.trim());
  return value === '' || more.length > 0 ? undefined : [name, value];
};

const clauseOf = (text: string): Clause | undefined => {
  const [range = '', ...rest] = text.split(';').map((part) => part.trim());
  const [type = '', subtype = type === '*' ? '*' : '', ...more] = range.split('/').map((part) => part.trim());
  if (subtype === '' || more.length > 0) return undefined;
  const parameters = new Map(
    rest.flatMap((part) => [parameterOf(part)].filter((pair) => pair !== undefined)),
  );
  const quality = parameters.has('q') ? Number(parameters.get('q')) || 0 : 1;
  parameters.delete('q');
  return { type, subtype, quality, parameters };
};

const isBefore = (a: Clause, b: Clause): boolean =>
  a.quality > b.quality || (a.type !== '*' && b.type === '*') || (a.subtype !== '*' && b.subtype === '*');

// The rule is no order (a weak clause may be before a strong one and after it), so how it is sorted is part of it.
const inserted = (sorted: readonly Clause[], clause: Clause): readonly Clause[] => {
  const at = sorted.findLastIndex((other) => !isBefore(clause, other)) + 1;
  return sorted.toSpliced(at, 0, clause);
};

/** Clauses of a header that are read; clients send a handful, and each is compared with all others. */
const MOST_CLAUSES = 100;

/** The first clauses of an `Accept` header, best quality first. */
export const clausesOf = (accept: string): readonly Clause[] =>
  accept
    .split(',', MOST_CLAUSES)
    .flatMap((part) => clauseOf(part) ?? [])
    .reduce<readonly Clause[]>(inserted, []);

const TRANSFORMS = ['Table', 'PartialObjectMetadata', 'PartialObjectMetadataList'] as const;
const VERSIONS = ['v1', 'v1beta1'] as const;

const transformOf = (parameters: Clause['parameters']): Transform | undefined => {
  const as = TRANSFORMS.find((name) => name === parameters.get('as'));
  const version = VERSIONS.find((name) => name === parameters.get('v'));
  if (!as || !version || parameters.get('g') !== 'meta.k8s.io') return undefined;
  return { as, apiVersion: `meta.k8s.io/${version}` };
};

export const matches = ({ type, subtype }: Clause, mediaType: string): boolean =>
  (type === '*' && subtype === '*') ||
  (type === 'application' && (subtype === '*' || `${type}/${subtype}` === mediaType));

const isServed = (parameters: Clause['parameters']): boolean =>
  (parameters.get('stream') ?? 'watch') === 'watch' && (parameters.get('sv') ?? 'v1') === 'v1';

const acceptedBy = (clause: Clause, mediaType: string): Accepted | undefined => {
  const { parameters } = clause;
  if (!matches(clause, mediaType) || !isServed(parameters)) return undefined;
  const wantsTransform = ['as', 'g', 'v'].some((name) => parameters.has(name));
  const transform = wantsTransform ? transformOf(parameters) : undefined;
  if (wantsTransform && !transform) return undefined;
  // Tables are never written as protobuf.
  if (mediaType === PROTOBUF_TYPE && transform?.as === 'Table') return undefined;
  const contentType = mediaType === YAML_TYPE ? YAML_TYPE : JSON_TYPE;
  return { contentType, transform, isPretty: parameters.get('pretty') === '1' };
};

type Allows = (accepted: Accepted) => boolean;

const ANYTHING: Allows = () => true;
const UNTRANSFORMED: Allows = ({ transform }) => transform === undefined;

const firstAccepted = (
  clauses: readonly Clause[],
  mediaTypes: readonly string[],
  allows: Allows,
): Accepted | undefined => {
  for (const clause of clauses)
    for (const mediaType of mediaTypes) {
      const accepted = acceptedBy(clause, mediaType);
      if (accepted && allows(accepted)) return accepted;
    }
  return undefined;
};

const PLAIN: Accepted = { contentType: JSON_TYPE, isPretty: false };

/**
 * The first clause that can be met, best quality first; `undefined` when there is none. Who takes nothing but protobuf
 * gets JSON: Kubernetes' own clients decode by the answer's Content-Type.
 */
const acceptedOf = ({ headers }: RequestHead, allows = ANYTHING): Accepted | undefined => {
  const accept = headers['accept'] ?? '';
  if (accept === '') return PLAIN;
  const clauses = clausesOf(accept);
  return (
    firstAccepted(clauses, [JSON_TYPE, YAML_TYPE], allows) ?? firstAccepted(clauses, [PROTOBUF_TYPE], allows)
  );
};

/** How errors and documents are written, which have no Table; JSON where the client takes nothing of ours. */
export const plainlyAccepted = (request: RequestHead): Accepted =>
  acceptedOf(request, UNTRANSFORMED) ?? PLAIN;

/** The router looks at the bare types first, and knows no `application/*`. Throws 406. */
export const negotiatePath = ({ headers }: RequestHead, mediaTypes: readonly string[]): void => {
  const accept = headers['accept'] || '*/*';
  const bare = accept.split(',', MOST_CLAUSES).map((part) => (part.split(';')[0] ?? '').trim());
  if (!bare.some((type) => type === '*/*' || mediaTypes.includes(type)))
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`);
};

/** A refusal by a handler, not by the router: it has no details. */
export const notAcceptableObject = (message: string): StatusError =>
  new StatusError('NotAcceptable', message);

const onlyThese = (mediaTypes: readonly string[]): StatusError =>
  notAcceptableObject(`only the following media types are accepted: ${mediaTypes.join(', ')}`);

/** How a document is written, of which there is no Table. Throws 406. `isRouted`: the router has a look at it before. */
export const negotiateDocument = (request: RequestHead, isRouted: boolean): Accepted => {
  if (isRouted) negotiatePath(request, MEDIA_TYPES);
  const accepted = acceptedOf(request, UNTRANSFORMED);
  if (!accepted) throw onlyThese(MEDIA_TYPES);
  return accepted;
};

/** `hasTable`: there is a Table of what is asked for; not of reviews and other objects that are never stored. */
interface Shape {
  readonly isList: boolean;
  readonly isWatch: boolean;
  readonly hasTable?: boolean;
}

const WITHOUT_TABLE: Allows = ({ transform }) => transform?.as !== 'Table';

/** How the answer to a request for a resource is written. Throws 406. `isList`: of a collection's GET, watched or not, whose streams are named. */
export const negotiate = (request: RequestHead, { isList, isWatch, hasTable = true }: Shape): Accepted => {
  negotiatePath(request, isList ? [...MEDIA_TYPES, ...STREAM_TYPES] : MEDIA_TYPES);
  const accepted = acceptedOf(request, hasTable ? ANYTHING : WITHOUT_TABLE);
  if (!accepted) throw onlyThese(MEDIA_TYPES);
  if (isWatch && accepted.contentType !== JSON_TYPE) throw onlyThese(STREAM_TYPES);
  return accepted;
};
