import { setTimeout as sleep } from 'node:timers/promises';

/** Polls until `look` returns something; the message of the failure says what was awaited and what was seen last. */
export const eventually = async <T>(
  what: string,
  withinMs: number,
  look: () => Promise<T | undefined | false>,
  seen?: () => unknown,
): Promise<T> => {
  const until = Date.now() + withinMs;
  for (;;) {
    const found = await look();
    if (found) return found;
    if (Date.now() > until)
      throw new Error(`not within ${withinMs} ms: ${what}; last seen: ${JSON.stringify(seen?.())}`);
    await sleep(200);
  }
};
