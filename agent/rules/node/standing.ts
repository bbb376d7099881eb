/** Whether the control plane still knows this machine, by its answers. */

export interface Standing {
  /** Since when (ms of uptime) every answer has been that it does not know the sender; `undefined`: the last one was another. */
  readonly refusedSince?: number;
}

/** `deleted`: its Node was deleted. `refused`: its token does not count, such as one that has expired. */
export type Verdict = 'known' | 'deleted' | 'refused';

export const IN_GOOD_STANDING: Standing = {};

/** For how long refusals are taken for a fault of the server, such as a clock that was set (ms). */
const PATIENCE_MS = 60_000;
const UNAUTHORIZED = 401;
const DELETED = /the Node that this token was made for (was|is being) deleted/;

/** After an answer with this code and message at `uptime`. */
export const standingAfter = (
  { refusedSince }: Standing,
  status: number,
  message: string,
  uptime: number,
): { readonly standing: Standing; readonly verdict: Verdict } => {
  if (status !== UNAUTHORIZED) return { standing: IN_GOOD_STANDING, verdict: 'known' };
  const since = refusedSince ?? uptime;
  if (DELETED.test(message)) return { standing: { refusedSince: since }, verdict: 'deleted' };
  return { standing: { refusedSince: since }, verdict: uptime - since >= PATIENCE_MS ? 'refused' : 'known' };
};
