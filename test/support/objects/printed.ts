import type { PrinterTarget } from '../../../shared/apiserver/answer/columns-by-resource.ts';
import { printerOf } from '../../../shared/apiserver/answer/columns-by-resource.ts';
import type { ApiObject } from '../../../shared/kube/types/meta.ts';

export const NOW = Date.parse('2026-03-01T12:00:00Z');
/** Five minutes before. */
export const CREATED = '2026-03-01T11:55:00Z';

type Fields = Readonly<Record<string, unknown>>;

/** An object that may lack anything, as clients and bookmarks bring them. */
export const objectWith = (fields: Fields, metadata: Fields = {}): ApiObject =>
  ({ metadata: { name: 'x', creationTimestamp: CREATED, ...metadata }, ...fields }) as unknown as ApiObject;

/** `resource.group/subresource`, of which the last two may be missing. */
export const targetOf = (key: string): PrinterTarget => {
  const [path = '', subresource = ''] = key.split('/');
  const [resource = '', ...group] = path.split('.');
  return { resource, group: group.join('.'), subresource };
};

/** Cells by the names of their columns; `key` is that of `targetOf`. */
export const printed = (key: string, object: ApiObject): Readonly<Record<string, unknown>> => {
  const { columns, cells } = printerOf(targetOf(key));
  const row = cells(object, NOW);
  if (row.length !== columns.length) throw new Error(`${row.length} cells for ${columns.length} columns`);
  return Object.fromEntries(columns.map(({ name }, index) => [name, row[index]]));
};

/** `Name:name Desired:integer Selector+`: type and format where they are not plain, `+` for wide columns. */
export const columnsOf = (key: string): string =>
  printerOf(targetOf(key))
    .columns.map(({ name, type, format, priority }) => {
      const kind = type === 'string' ? format : type;
      return `${name.replaceAll(' ', '_')}${kind === '' ? '' : `:${kind}`}${priority > 0 ? '+' : ''}`;
    })
    .join(' ');
