/** Annotations of Rollcall that a node may set on itself. */
import { MAINTENANCE_DONE_ANNOTATION } from '../../rules/drain/drain-annotations.ts';
import { SERVING_CERTIFICATE_ANNOTATION } from '../../rules/streams/serving-certificate.ts';
import { TOKEN_EXPIRY_ANNOTATION, TOKEN_RELEASED_ANNOTATION } from './node-annotations.ts';

/** That it is maintained, and by which certificate its server is known, a machine may say of itself. Those about tokens keep their stored values, whoever writes them. */
const ALLOWED_KEYS: ReadonlySet<string> = new Set([
  MAINTENANCE_DONE_ANNOTATION,
  SERVING_CERTIFICATE_ANNOTATION,
  TOKEN_EXPIRY_ANNOTATION,
  TOKEN_RELEASED_ANNOTATION,
]);

const OWN_PREFIX = 'rollcall.dev/';

/**
 * What is wrong with the annotations that a node has changed, as the end of a sentence; `undefined`: nothing. Those of Rollcall are the word of
 * the control plane or of an operator, who decide by them: whether a machine is off, or a node is to be drained.
 */
export const annotationFault = (keys: readonly string[]): string | undefined => {
  const refused = keys.filter((key) => key.startsWith(OWN_PREFIX) && !ALLOWED_KEYS.has(key)).sort();
  if (refused.length === 0) return undefined;
  const fields = refused.map((key) => `metadata.annotations[${key}]`).join(', ');
  return `${fields}, which only the control plane and operators set`;
};
