/** SHA-256 of the DER of the certificate that the node's server shows, lower hex. A node sets its own. */
export const SERVING_CERTIFICATE_ANNOTATION = 'rollcall.dev/serving-certificate';
