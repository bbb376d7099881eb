/** Wide columns of objects that hold a pod template. */
import { wideColumn } from './column.ts';

/** A pod template as printers read it. */
export interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
  };
}

/** The wide column of container names. */
export const CONTAINERS = wideColumn('Containers', 'The names of the containers in the template.');
/** The wide column of container images. */
export const IMAGES = wideColumn('Images', 'The images of the containers in the template.');
/** The wide column of the selector. */
export const SELECTOR = wideColumn('Selector', 'The labels of the pods that belong to it.');

/** The cells of `CONTAINERS` and `IMAGES`. */
export const templateCells = (template: Template | undefined): readonly string[] => {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
};
