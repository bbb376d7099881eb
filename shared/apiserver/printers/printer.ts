/** How objects of a kind become rows of a Table. Source: kubernetes v1.34 `pkg/printers/internalversion`. */
import type { ApiObject } from '../../api/meta.ts';
import type { EpochMs } from '../../api/time.ts';

/** `meta.k8s.io` TableColumnDefinition. */
export interface Column {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'boolean' | 'date';
  readonly format: '' | 'name';
  readonly description: string;
  /** kubectl shows columns above 0 with `-o wide` only. */
  readonly priority: number;
}

export type Cell = string | number | boolean;

export interface RowCondition {
  readonly type: 'Completed';
  readonly status: 'True';
  readonly reason: string;
  readonly message: string;
}

/** Objects may lack everything but metadata: a bookmark in a watch is printed, too. */
export interface Printer {
  readonly columns: readonly Column[];
  /** One for each column. Pure: ages are counted to `now`. */
  cells(object: ApiObject, now: EpochMs): readonly Cell[];
  conditions?(object: ApiObject): readonly RowCondition[] | undefined;
}

export const column = (name: string, description: string, more: Partial<Column> = {}): Column => ({
  name,
  type: 'string',
  format: '',
  description,
  priority: 0,
  ...more,
});

/** A column of `kubectl get -o wide`. */
export const wideColumn = (name: string, description: string, more: Partial<Column> = {}): Column =>
  column(name, description, { priority: 1, ...more });

export const NAME_COLUMN = column(
  'Name',
  'The name, unique among the objects of this kind in its namespace.',
  {
    format: 'name',
  },
);

export const AGE_COLUMN = column('Age', 'The time since the object was created.');

export const NONE = '<none>';
export const UNSET = '<unset>';
export const UNKNOWN = '<unknown>';
