/** What the API says when it refuses a request of the relay itself. */
import type { UpstreamResponse } from '../gateway/upstream/upstream.ts';

/** The JSON of an answer. Throws for anything else. */
export const jsonOf = ({ body }: UpstreamResponse): unknown => JSON.parse(Buffer.from(body).toString());

/** Code and message of a refusal. */
export const refusalOf = (answer: UpstreamResponse): string => {
  try {
    return `${answer.status}: ${String((jsonOf(answer) as { readonly message?: unknown }).message)}`;
  } catch {
    return `${answer.status}`;
  }
};

/** Tells each reason once, until a request is accepted. */
export const createRefusalTeller = (tell: (why: string) => void) => {
  let told: string | undefined;
  return {
    refused: (why: string): void => {
      if (why !== told) tell(why);
      told = why;
    },
    accepted: (): void => {
      told = undefined;
    },
  };
};
