/** The form in which one request is answered. */
import type { ApiList, ApiObject } from '../../kube/types/meta.ts';
import type { Accepted } from './accepted.ts';

/** Makes the `object` of a watch event. */
export type RepresentEvent = (object: ApiObject) => object;

/** The form in which one request is answered. */
export interface Representation {
  readonly accepted: Accepted;
  /**
   * The form of a single object. A `Status`, or a body without metadata, stays as it is. Throws 406, and 400 for
   * a bad `includeObject`.
   */
  object(object: ApiObject): object;
  /** The form of a `<Kind>List` with its items. Throws as `object` does. */
  list(list: ApiList): Promise<object>;
  /**
   * Creates the function for ONE watch stream. Call it once per event, in order, because only the first event has columns.
   * It takes objects as they would be sent plainly, with kind and apiVersion:
   *  - ADDED, MODIFIED, DELETED: the object → itself, its PartialObjectMetadata, or a Table of one row;
   *  - BOOKMARK: the empty object with `metadata.resourceVersion` (and annotations) → the same forms; as a Table one row
   *    with the cells of an empty object and the metadata in `object.metadata`;
   *  - ERROR: the `Status` → itself.
   * `columnDefinitions` are in the first event, `null` in all later ones. Never throws: an object that cannot be transformed
   * is sent unchanged. A watch is always written as JSON lines: `accepted.contentType` is `application/json`.
   */
  events(): RepresentEvent;
}
