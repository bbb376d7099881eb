import type { ObjectMeta } from '../../kube/types/meta.ts';

/** A pod as `namespace/name`. */
export const podPath = ({ namespace = '', name }: Pick<ObjectMeta, 'namespace' | 'name'>): string =>
  `${namespace}/${name}`;
