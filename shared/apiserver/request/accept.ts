/** Negotiates the form of the answer from `Accept`. Source: apiserver v1.34 `endpoints/handlers/negotiation`. */
import { notAcceptable, StatusError } from '../../kube/errors/status-error.ts';
import type { Accepted, Transform } from '../contract/accepted.ts';
import { JSON_TYPE, PROTOBUF_TYPE, YAML_TYPE } from '../contract/accepted.ts';
import type { RequestHead } from '../contract/http.ts';

const MEDIA_TYPES = [JSON_TYPE, YAML_TYPE, PROTOBUF_TYPE] as const;
const STREAM_TYPES = [`${JSON_TYPE};stream=watch`, `${PROTOBUF_TYPE};stream=watch`] as const;

/** One media range of an `Accept` header. */
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

// Kubernetes' comparison is not transitive (a weak clause may sort both before and after a strong one), so the
// result depends on the sorting algorithm, which must stay an insertion sort.
const inserted = (sorted: readonly Clause[], clause: Clause): readonly Clause[] => {
  const at = sorted.findLastIndex((other) => !isBefore(clause, other)) + 1;
  return sorted.toSpliced(at, 0, clause);
};

/** Most clauses of a header that are read. Clients send a handful, and each is compared with all others. */
const MOST_CLAUSES = 100;

/** The clauses of an `Accept` header, at most 100, best quality first. */
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

/** Whether a clause covers a media type. A type or subtype `*` is a wildcard. */
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
  // Tables are never encoded as protobuf.
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
 * What the first acceptable clause asks for, best quality first; `undefined` when no clause is acceptable. A
 * client that accepts nothing but protobuf gets JSON: Kubernetes' own clients decode by the answer's
 * Content-Type.
 */
const acceptedOf = ({ headers }: RequestHead, allows = ANYTHING): Accepted | undefined => {
  const accept = headers['accept'] ?? '';
  if (accept === '') return PLAIN;
  const clauses = clausesOf(accept);
  return (
    firstAccepted(clauses, [JSON_TYPE, YAML_TYPE], allows) ?? firstAccepted(clauses, [PROTOBUF_TYPE], allows)
  );
};

/** How an error or a document without a Table is encoded; JSON if the client accepts no type that is served. */
export const plainlyAccepted = (request: RequestHead): Accepted =>
  acceptedOf(request, UNTRANSFORMED) ?? PLAIN;

/** The router's check, which compares bare types and does not know `application/*`. Throws 406. */
export const negotiatePath = ({ headers }: RequestHead, mediaTypes: readonly string[]): void => {
  const accept = headers['accept'] || '*/*';
  const bare = accept.split(',', MOST_CLAUSES).map((part) => (part.split(';')[0] ?? '').trim());
  if (!bare.some((type) => type === '*/*' || mediaTypes.includes(type)))
    throw notAcceptable(`406: Not Acceptable\n\nAvailable representations: ${mediaTypes.join(', ')}`);
};

/** The 406 of a handler, which unlike the router's has no details. */
export const notAcceptableObject = (message: string): StatusError =>
  new StatusError('NotAcceptable', message);

const onlyThese = (mediaTypes: readonly string[]): StatusError =>
  notAcceptableObject(`only the following media types are accepted: ${mediaTypes.join(', ')}`);

/** How a document that has no Table is encoded. Throws 406. `isRouted`: the router's check comes first. */
export const negotiateDocument = (request: RequestHead, isRouted: boolean): Accepted => {
  if (isRouted) negotiatePath(request, MEDIA_TYPES);
  const accepted = acceptedOf(request, UNTRANSFORMED);
  if (!accepted) throw onlyThese(MEDIA_TYPES);
  return accepted;
};

/** `hasTable`: whether the answer can be a Table; reviews and other objects that are never stored cannot. */
interface Shape {
  readonly isList: boolean;
  readonly isWatch: boolean;
  readonly hasTable?: boolean;
}

const WITHOUT_TABLE: Allows = ({ transform }) => transform?.as !== 'Table';

/**
 * How the answer to a request for a resource is encoded. Throws 406. `isList`: GET of a collection, watched or
 * not, which also takes the media types of streams.
 */
export const negotiate = (request: RequestHead, { isList, isWatch, hasTable = true }: Shape): Accepted => {
  negotiatePath(request, isList ? [...MEDIA_TYPES, ...STREAM_TYPES] : MEDIA_TYPES);
  const accepted = acceptedOf(request, hasTable ? ANYTHING : WITHOUT_TABLE);
  if (!accepted) throw onlyThese(MEDIA_TYPES);
  if (isWatch && accepted.contentType !== JSON_TYPE) throw onlyThese(STREAM_TYPES);
  return accepted;
};
