import { setTimeout as sleep } from 'node:timers/promises';
import { PlatformFailure } from './deployment.ts';

const unlessPlatform = (error: unknown): undefined => {
  if (!(error instanceof PlatformFailure)) throw error;
};

/** Polls until `look` returns something; the message of the failure says what was awaited and what was seen last. */
export const eventually = async <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false>,
  seen?: () => unknown,
): Promise<T> => {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await look().catch(unlessPlatform);
    if (found) return found;
    if (Date.now() > until)
      throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${JSON.stringify(seen?.())}`);
    await sleep(200);
  }
};
