import type { ObjectMeta } from '../types/meta.ts';

/**
 * The metadata with the annotation set, or removed if `value` is `undefined`. The same object if nothing
 * changes.
 */
export const withAnnotation = (metadata: ObjectMeta, key: string, value: string | undefined): ObjectMeta => {
  const { [key]: given, ...others } = metadata.annotations ?? {};
  if (given === value) return metadata;
  const { annotations: _annotations, ...rest } = metadata;
  const annotations = value === undefined ? others : { ...others, [key]: value };
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
};
