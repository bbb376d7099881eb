/** `meta.k8s.io` Tables: what `kubectl get` prints. */
import { quote } from '../../api/go-quote.ts';
import type { ApiList, ApiObject, ListMeta, ObjectMeta } from '../../api/meta.ts';
import { badRequest } from '../../api/status-error.ts';
import type { EpochMs } from '../../api/time.ts';
import type { HttpRequest } from '../http.ts';
import type { Cell, Column, Printer, RowCondition } from '../printers/printer.ts';
import type { Transform } from '../request/accepted.ts';
import type { Pause } from './in-turns.ts';
import { mapInTurns } from './in-turns.ts';

export type MetaVersion = Transform['apiVersion'];

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

export interface Table {
  readonly kind: 'Table';
  readonly apiVersion: MetaVersion;
  readonly metadata: Partial<ListMeta>;
  /** `null` in a watch after the first event. */
  readonly columnDefinitions: readonly Column[] | null;
  readonly rows: readonly Row[];
}

const INCLUDE_OBJECT = ['Metadata', 'Object', 'None'] as const;
export type IncludeObject = (typeof INCLUDE_OBJECT)[number];

/** What the rows carry beside their cells. Throws 400. */
export const includeObjectOf = ({ query }: HttpRequest): IncludeObject => {
  const given = query.get('includeObject') || 'Metadata';
  const known = INCLUDE_OBJECT.find((name) => name === given);
  if (!known)
    throw badRequest(
      `Unable to convert to Table as requested: includeObject: Invalid value: ${quote(given)}: must be 'Metadata', 'Object', 'None', or empty`,
    );
  return known;
};

export const partialMetadata = ({ metadata }: ApiObject, apiVersion: MetaVersion): PartialObjectMetadata => ({
  kind: 'PartialObjectMetadata',
  apiVersion,
  metadata,
});

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
    // A bookmark's object has not even a name.
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

/** A Table of one row. */
export const tableOfObject = (object: ApiObject, options: TableOptions): Table => {
  const { resourceVersion } = object.metadata;
  return tableOf(resourceVersion ? { resourceVersion } : {}, [rowOf(object, options)], options);
};

/** A Table of a list; the objects get the kind that they lack in it. */
export const tableOfList = async (
  { kind, apiVersion, metadata, items }: ApiList,
  options: TableOptions,
  pause?: Pause,
): Promise<Table> => {
  const type = { kind: kind.replace(/List$/, ''), apiVersion };
  const rows = await mapInTurns(items, pause, (item) => rowOf({ ...type, ...item }, options));
  return tableOf(metadata, rows, options);
};
