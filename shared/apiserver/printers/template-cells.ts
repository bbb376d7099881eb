/** The wide columns of objects that hold a Pod's template. */
import { wideColumn } from './printer.ts';

export interface Template {
  readonly metadata?: { readonly labels?: Readonly<Record<string, string>> };
  readonly spec?: {
    readonly containers?: readonly { readonly name: string; readonly image?: string }[];
    readonly nodeSelector?: Readonly<Record<string, string>>;
  };
}

export const CONTAINERS = wideColumn('Containers', 'The names of the containers in the template.');
export const IMAGES = wideColumn('Images', 'The images of the containers in the template.');
export const SELECTOR = wideColumn('Selector', 'The labels of the pods that belong to it.');

/** The cells of `CONTAINERS` and `IMAGES`. */
export const templateCells = (template: Template | undefined): readonly string[] => {
  const containers = template?.spec?.containers ?? [];
  return [containers.map(({ name }) => name).join(','), containers.map(({ image }) => image ?? '').join(',')];
};
