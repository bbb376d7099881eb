/** Sends beats to the first of several addresses that answers. */
import type { ApiAnswer, ApiClient } from '../../../shared/client/api-client.ts';
import {
  addressAfterFailure,
  addressAt,
  FIRST_ADDRESS,
  isAway,
} from '../../rules/node-status/beat-address.ts';

/** An address, and its client. */
export interface BeatTarget {
  readonly url: string;
  readonly client: ApiClient;
}

/** Sends by a target. */
type Send = (target: BeatTarget) => Promise<ApiAnswer>;

/**
 * Sends each request to the address whose turn it is, and to the others if that one does not reach the control plane. `uptime` in ms. `onMove`:
 * told of the address when another one than before has answered.
 */
export const createBeatClient = (
  targets: readonly [BeatTarget, ...BeatTarget[]],
  uptime: () => number,
  onMove: (url: string) => void = () => {},
) => {
  let address = FIRST_ADDRESS;
  let heard = targets[0].url;
  const answered = (url: string): void => {
    if (url !== heard) onMove(url);
    heard = url;
  };
  const failed = (): void => {
    address = addressAfterFailure(address, targets.length, uptime());
  };
  const attempt = async (send: Send): Promise<ApiAnswer> => {
    address = addressAt(address, uptime());
    try {
      const target = targets[address.place] ?? targets[0];
      const answer = await send(target);
      if (isAway(answer.status)) failed();
      else answered(target.url);
      return answer;
    } catch (error) {
      failed();
      throw error;
    }
  };
  return {
    /** The answer of the last address if none of them reaches the control plane; rejects if that one gives none. */
    send: async (send: Send): Promise<ApiAnswer> => {
      for (let others = targets.length - 1; others > 0; others -= 1) {
        const answer = await attempt(send).catch(() => undefined);
        if (answer && !isAway(answer.status)) return answer;
      }
      return attempt(send);
    },
    close: (): void => {
      for (const { client } of targets) client.close();
    },
  };
};
