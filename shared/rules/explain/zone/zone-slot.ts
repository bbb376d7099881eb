/** When a node that waits in its zone gets its taint. */
import type { EpochMs } from '../../../kube/values/time.ts';
import { type Limiter, takeToken } from '../../zones/rate-limiter.ts';

/** When the limiter grants a token to the node behind `ahead` others, from `now` (ms) on; `undefined` while the rate is 0. */
export const slotBehind = (limiter: Limiter, ahead: number, now: EpochMs): EpochMs | undefined => {
  let [current, at] = [limiter, now];
  for (let others = ahead; ; others -= 1) {
    if (current.rate <= 0) return undefined;
    at = Math.max(at, current.nextAt);
    const token = takeToken(current, at);
    if (!token.granted) return undefined;
    if (others <= 0) return at;
    current = token.limiter;
  }
};
