import type { ApiObject } from '../../kube/types/meta.ts';

/** An object as a scan found it. Without `object` it is deleted, and this is the record that is left. */
export interface Scanned {
  readonly path: string;
  readonly version: number;
  readonly object?: ApiObject | undefined;
  /** The object of the DELETED event if this process has never seen the deleted object. */
  readonly remains: ApiObject;
  /** When the object was created, ms. */
  readonly createdAt: number;
}

/** The result of a scan, by path: `<namespace>/<name>`. */
export type Scan = ReadonlyMap<string, Scanned>;
