/** `meta.k8s.io` Tables, which `kubectl get` prints. */

import type { Cell, Column, Printer, RowCondition } from '../../kinds/fields/column.ts';
import { badRequest } from '../../kube/errors/status-error.ts';
import { quote } from '../../kube/text/go-quote.ts';
import type { ApiList, ApiObject, ListMeta, ObjectMeta } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';
import type { Transform } from '../contract/accepted.ts';
import type { HttpRequest } from '../contract/http.ts';
import type { Pause } from '../contract/in-turns.ts';
import { mapInTurns } from '../contract/in-turns.ts';

/** API version of Tables and PartialObjectMetadata. */
export type MetaVersion = Transform['apiVersion'];

/** An object reduced to its metadata. */
export interface PartialObjectMetadata {
  readonly kind: 'PartialObjectMetadata';
  readonly apiVersion: MetaVersion;
  readonly metadata: ObjectMeta;
}

interface Row {
  readonly cells: readonly Cell[];
  readonly conditions?: readonly RowCondition[];
  readonly object: PartialObjectMetadata | ApiObject | null;
}

/** A `meta.k8s.io` Table. */
export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: MetaVersion;
  readonly metadata: Partial<ListMeta>;
  /** `null` in the later events of a watch, whose first event has the columns. */
  readonly columnDefinitions: readonly Column[] | null;
  readonly rows: readonly Row[];
}

const INCLUDE_OBJECT = ['Metadata', 'Object', 'None'] as const;
/** Values of the query parameter `includeObject`. */
export type IncludeObject = (typeof INCLUDE_OBJECT)[number];

/** The value of the query parameter `includeObject`: what each row carries besides its cells. Throws 400. */
export const includeObjectOf = ({ query }: HttpRequest): IncludeObject => {
  const given = query.get('includeObject') || 'Metadata';
  const known = INCLUDE_OBJECT.find((name) => name === given);
  if (!known)
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${quote(given)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  return known;
};

/** The object reduced to its metadata. */
export const partialMetadata = ({ metadata }: ApiObject, apiVersion: MetaVersion): PartialObjectMetadata => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});

/** How a Table is made: the printer of its kind, and the time (ms) to which ages are relative. */
export interface TableOptions {
  readonly printer: Printer;
  readonly apiVersion: MetaVersion;
  readonly includeObject: IncludeObject;
  readonly now: EpochMs;
}

const included = (object: ApiObject, { includeObject, apiVersion }: TableOptions): Row['object'] => {
  if (includeObject === 'None') return null;
  return includeObject === 'Object' ? object : partialMetadata(object, apiVersion);
};

const rowOf = (object: ApiObject, options: TableOptions): Row => {
  const conditions = options.printer.conditions?.(object);
  return {
    // The object of a bookmark does not even have a name.
    cells: options.printer.cells(object, options.now).map((cell: Cell | undefined) => cell ?? ''),
    ...(conditions ? { conditions } : {}),
    object: included(object, options),
  };
};

const tableOf = (metadata: Partial<ListMeta>, rows: readonly Row[], options: TableOptions): Table => ({
  kind: 'Table',
  apiVersion: options.apiVersion,
  metadata,
  columnDefinitions: options.printer.columns,
  rows,
});

/** A Table with one row, for one object. */
export const tableOfObject = (object: ApiObject, options: TableOptions): Table => {
  const { resourceVersion } = object.metadata;
  return tableOf(resourceVersion ? { resourceVersion } : {}, [rowOf(object, options)], options);
};

/** A Table of a list. Items carry no kind in a list, so the rows' objects get theirs here. */
export const tableOfList = async (
  { kind, apiVersion, metadata, items }: ApiList,
  options: TableOptions,
  pause?: Pause,
): Promise<Table> => {
  const type = { kind: kind.replace(/List$/, ''), apiVersion };
  const rows = await mapInTurns(items, pause, (item) => rowOf({ ...type, ...item }, options));
  return tableOf(metadata, rows, options);
};
