import { StatusError } from '../errors/status-error.ts';

/**
 * The 422 for a patch that does not apply. Kubernetes gives no more detail either. Source: apimachinery v1.34
 * `NewGenericServerResponse`.
 */
export const rejectedPatch = (): StatusError =>
  new StatusError('Invalid', 'the server rejected our request due to an error in our request', {});
