/** How an object of a kind becomes a row of a Table. Source: kubernetes v1.34 `pkg/printers/internalversion`. */
import type { ApiObject } from '../../kube/types/meta.ts';
import type { EpochMs } from '../../kube/values/time.ts';

/** A `meta.k8s.io` TableColumnDefinition. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly format: '' | 'name';
  readonly description: string;
  /** kubectl shows columns with a priority above 0 only with `-o wide`. */
  readonly priority: number;
}

/** The value of one cell. */
export type Cell = string | number | boolean;

/** A `meta.k8s.io` TableRowCondition. */
export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** The columns and cells of a kind. Objects may lack everything but metadata, as in a bookmark of a watch. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One cell for each column. Ages are relative to `now` (ms). */
  cells(object: ApiObject, now: EpochMs): readonly Cell[];
  conditions?(object: ApiObject): readonly RowCondition[] | undefined;
}

/** A column of text that plain `kubectl get` shows; `more` overrides its properties. */
export const column = (name: string, description: string, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  format: '',
  description,
  priority: 0,
  ...more,
});

/** A column that only `kubectl get -o wide` shows. */
export const wideColumn = (name: string, description: string, more: Partial<Column> = {}): Column =>
  column(name, description, { priority: 1, ...more });

/** The column with the object's name. */
export const NAME_COLUMN = column(
  'Name',
  'The name, unique among the objects of this kind in its namespace.',
  {
    format: 'name',
  },
);

/** The column with the object's age. */
export const AGE_COLUMN = column('Age', 'The time since the object was created.');

/** Text of a cell without a value. */
export const NONE = '<none>';
/** Text of a field that is not set. */
export const UNSET = '<unset>';
/** Text of a value that cannot be told, such as an age without a time. */
export const UNKNOWN = '<unknown>';
