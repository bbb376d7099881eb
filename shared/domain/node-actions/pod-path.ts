import type { ObjectMeta } from '../../api/meta.ts';

/** A pod as `namespace/name`. */
export const podPath = ({ namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
