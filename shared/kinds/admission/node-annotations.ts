/** Annotations of Nodes about the tokens that were issued for them. */
/** When the Node's newest token expires (RFC 3339). Only the token endpoint writes it, and it is never removed. */
export const TOKEN_EXPIRY_ANNOTATION = 'rollcall.dev/token-expiration';
/**
 * `true`: a bootstrapper may take one more token for this Node. Administrators set it; issuing the token removes
 * it.
 */
export const TOKEN_RELEASED_ANNOTATION = 'rollcall.dev/token-released';
