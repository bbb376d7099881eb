/** Annotations of Nodes about the tokens that were issued for them. */
import type { ObjectMeta } from '../../api/meta.ts';

/** When the Node's newest token expires (RFC 3339). Only the token endpoint writes it, and it is never removed. */
export const TOKEN_EXPIRY_ANNOTATION = 'rollcall.dev/token-expiration';
/**
 * `true`: a bootstrapper may take one more token for this Node. Administrators set it; issuing the token removes
 * it.
 */
export const TOKEN_RELEASED_ANNOTATION = 'rollcall.dev/token-released';

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
