import { StatusError } from '../status-error.ts';

/** A patch that does not apply. The real server says no more than this. Source: apimachinery v1.34 `NewGenericServerResponse`. */
export const rejectedPatch = (): StatusError =>
  new StatusError('Invalid', 'the server rejected our request due to an error in our request', {});
