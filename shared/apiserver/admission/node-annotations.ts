/** Annotations of Nodes that say which tokens were made. */
import type { ObjectMeta } from '../../api/meta.ts';

/** The end of the newest token that was made for the Node; written by the endpoint for tokens alone, and never removed. */
export const TOKEN_EXPIRY_ANNOTATION = 'rollcall.dev/token-expiration';
/** `true`: a bootstrapper may take a token once more. Administrators write it; the next token removes it. */
export const TOKEN_RELEASED_ANNOTATION = 'rollcall.dev/token-released';

/** The metadata with an annotation set, or removed for `undefined`. */
export const withAnnotation = (metadata: ObjectMeta, key: string, value: string | undefined): ObjectMeta => {
  const { [key]: given, ...others } = metadata.annotations ?? {};
  if (given === value) return metadata;
  const { annotations: _annotations, ...rest } = metadata;
  const annotations = value === undefined ? others : { ...others, [key]: value };
  return Object.keys(annotations).length === 0 ? rest : { ...rest, annotations };
};
