/** What the API says when it refuses a request of the relay itself. */
import type { UpstreamResponse } from '../gateway/upstream/upstream.ts';

/** The JSON of an answer. Throws for anything else. */
export const jsonOf = ({ body }: UpstreamResponse): unknown => JSON.parse(Buffer.from(body).toString());

/** What a control plane says when it refuses; `undefined`: the answer is none of a control plane. */
const messageOf = (answer: UpstreamResponse): string | undefined => {
  try {
    const { kind, message = '' } = jsonOf(answer) as { readonly kind?: unknown; readonly message?: string };
    return kind === 'Status' ? message : undefined;
  } catch {
    return undefined;
  }
};

/** Code and message of a refusal. AWS answers for a URL that is gone, and a proxy in its own name. */
export const refusalOf = (answer: UpstreamResponse): string => {
  const { status } = answer;
  const message = messageOf(answer);
  if (message !== undefined) return `${status}: ${message}`;
  return status < 500
    ? `${status}: this is no answer of a control plane; is the address right?`
    : `${status}`;
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
