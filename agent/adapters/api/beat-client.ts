/** Sends beats to the first of several addresses that answers. */
import type { ApiAnswer, ApiClient } from '../../../shared/client/api-client.ts';
import {
  addressAfterFailure,
  addressAt,
  FIRST_ADDRESS,
  isAway,
  isForeign,
} from '../../rules/node-status/beat-address.ts';

/** An address, and its client. */
export interface BeatTarget {
  readonly url: string;
  readonly client: ApiClient;
}

/** Says that no control plane has answered. */
const checkOrigin = ({ url }: BeatTarget, { status, body }: ApiAnswer): void => {
  if (isForeign(status, body)) throw new Error(`${url} is no control plane: it answered ${status}`);
};

/** Sends by a target. */
type Send = (target: BeatTarget) => Promise<ApiAnswer>;

/**
 * Sends each request to the address whose turn it is, and to the others if that one does not reach the control plane. `uptime` in ms. `onMove`:
 * told of the address when another one than before has answered, and of what the one before has said, if it failed.
 */
export const createBeatClient = (
  targets: readonly [BeatTarget, ...BeatTarget[]],
  uptime: () => number,
  onMove: (url: string, problem?: string) => void = () => {},
) => {
  let address = FIRST_ADDRESS;
  let heard = targets[0].url;
  let problem: string | undefined;
  const answered = (url: string): void => {
    if (url !== heard) onMove(url, problem);
    heard = url;
    problem = undefined;
  };
  const failed = (what: string): void => {
    problem = what;
    address = addressAfterFailure(address, targets.length, uptime());
  };
  const attempt = async (send: Send): Promise<ApiAnswer> => {
    address = addressAt(address, uptime());
    try {
      const target = targets[address.place] ?? targets[0];
      const answer = await send(target);
      checkOrigin(target, answer);
      if (isAway(answer.status)) failed(`${target.url} answered ${answer.status}`);
      else answered(target.url);
      return answer;
    } catch (error) {
      failed(error instanceof Error ? error.message : String(error));
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
