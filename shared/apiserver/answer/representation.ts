/**
 * The form of an answer: the object, a Table or its metadata only. Source: apiserver v1.34
 * `endpoints/handlers/response.go`.
 */
import type { ApiList, ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Accepted, Transform } from '../contract/accepted.ts';
import type { Answer, HttpRequest } from '../contract/http.ts';
import type { Pause } from '../contract/in-turns.ts';
import { mapInTurns } from '../contract/in-turns.ts';
import type { Representation, RepresentEvent } from '../contract/representation.ts';
import type { ResourceRequest } from '../contract/request-info.ts';
import { negotiate, notAcceptableObject } from '../request/accept.ts';
import type { TableOptions } from './table.ts';
import { includeObjectOf, partialMetadata, tableOfList, tableOfObject } from './table.ts';

type Target = Pick<ResourceRequest, 'verb' | 'group' | 'resource' | 'subresource'>;

// Kubernetes prints the Go type of its internal object; the package is named after the group.
const goType = ({ group }: Target, kind: string): string => {
  const name = group.split('.')[0] ?? '';
  return `*${name === '' || name === 'events' ? 'core' : name}.${kind}`;
};

/** Whether a body is never transformed: a `Status`, or not an object of the API. */
const staysPlain = (object: ApiObject): boolean => object.kind === 'Status' || !('metadata' in object);

const representObject = (
  object: ApiObject,
  target: Target,
  transform: Transform,
  table: () => TableOptions,
) => {
  if (transform.as === 'Table') return tableOfObject(object, table());
  if (transform.as === 'PartialObjectMetadata') return partialMetadata(object, transform.apiVersion);
  throw notAcceptableObject(
    `you requested PartialObjectMetadataList, but the requested object is not a list (${goType(target, object.kind)})`,
  );
};

const representList = async (
  list: ApiList,
  target: Target,
  transform: Transform,
  table: () => TableOptions,
  pause: Pause | undefined,
): Promise<object> => {
  if (transform.as === 'Table') return tableOfList(list, table(), pause);
  const { apiVersion } = transform;
  if (transform.as === 'PartialObjectMetadataList')
    return {
      kind: transform.as,
      apiVersion,
      metadata: list.metadata,
      items: await mapInTurns(list.items, pause, (item) => partialMetadata(item, apiVersion)),
    };
  throw notAcceptableObject(
    `you requested PartialObjectMetadata, but the requested object is a list (${goType(target, list.kind)})`,
  );
};

const eventsOf = (transform: Transform, table: () => TableOptions): RepresentEvent => {
  let isFirst = true;
  return (object) => {
    const hasColumns = isFirst;
    isFirst = false;
    if (staysPlain(object) || transform.as === 'PartialObjectMetadataList') return object;
    if (transform.as === 'PartialObjectMetadata') return partialMetadata(object, transform.apiVersion);
    const made = tableOfObject(object, table());
    return hasColumns ? made : { ...made, columnDefinitions: null };
  };
};

const plain = (accepted: Accepted): Representation => ({
  accepted,
  object: (object) => object,
  list: async (list) => list,
  events: () => (object) => object,
});

const UNPRINTED_GROUPS: readonly string[] = ['authentication.k8s.io', 'authorization.k8s.io'];
const UNPRINTED_PARTS: readonly string[] = [
  'binding',
  'eviction',
  'explain',
  'token',
  'heartbeat',
  'drain',
  'shutdown',
];

// Bodies that are never stored, such as reviews, have no Table. Source: apiserver v1.34
// `RequestScope.AllowsMediaTypeTransform`.
const hasTable = ({ group, resource, subresource }: Target): boolean =>
  !UNPRINTED_GROUPS.includes(group) && !UNPRINTED_PARTS.includes(subresource) && resource !== 'bindings';

interface RepresentationDeps {
  readonly clock: { now(): EpochMs };
  /** Called between the parts of a long list. */
  readonly pause?: Pause;
}

const isRead = ({ verb }: Target): boolean => verb === 'get' || verb === 'list';

/**
 * Negotiates the form of the answer. Rejects with 406 before the request is executed, and for writes also the 400 for a
 * bad `includeObject`; reads throw that where Kubernetes does, after their own errors. Ages in Tables are
 * relative to `clock.now()`.
 */
export const representationOf = async (
  request: HttpRequest,
  target: Target,
  { clock, pause }: RepresentationDeps,
): Promise<Representation> => {
  const isWatch = target.verb === 'watch';
  const isList = isWatch || target.verb === 'list';
  const accepted = negotiate(request, { isList, isWatch, hasTable: hasTable(target) });
  const { transform } = accepted;
  if (!transform) return plain(accepted);
  if (transform.as === 'Table' && !isRead(target)) includeObjectOf(request);
  // Kubelets and controllers never ask for Tables, so a cold start need not read the printers of all resources.
  const { printerOf } = await import('./columns-by-resource.ts');
  const table = (): TableOptions => ({
    printer: printerOf(target),
    apiVersion: transform.apiVersion,
    includeObject: includeObjectOf(request),
    now: clock.now(),
  });
  return {
    accepted,
    object: (object) => (staysPlain(object) ? object : representObject(object, target, transform, table)),
    list: (list) => representList(list, target, transform, table, pause),
    events: () => eventsOf(transform, table),
  };
};

const isList = (body: object): body is ApiList => 'items' in body && Array.isArray(body.items);

/** The answer in the negotiated form; plain text stays text. */
export const represented = async (answer: Answer, representation: Representation): Promise<Answer> => {
  const { body } = answer;
  if (typeof body === 'string') return answer;
  const { accepted } = representation;
  const shown = isList(body) ? await representation.list(body) : representation.object(body as ApiObject);
  return { ...answer, body: shown, accepted };
};
