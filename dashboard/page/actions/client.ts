/** Asks the server of the page about actions. */
import {
  ACTION_HEADER,
  type ActionName,
  type ActionPreview,
  type ActionResult,
  type ActionsOffered,
  type PerformRequest,
  type PreviewRequest,
} from '../../wire/actions.ts';

/** What the server made of a request: what was asked for, or why not. */
export type Outcome<T> = { readonly done: T } | { readonly refused: ActionResult };

const UNREACHED =
  'The server of this page does not answer, so it is not known here whether this was done. Look at the node before you try again.';

/** Longest time (ms) for an answer. */
const ANSWER_MS = 60_000;

const post = async <T>(path: string, body: object): Promise<Outcome<T>> => {
  try {
    const answer = await fetch(`data/actions/${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', [ACTION_HEADER]: '1' },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(ANSWER_MS),
    });
    const told = await answer.json();
    return answer.ok ? { done: told as T } : { refused: told as ActionResult };
  } catch {
    return { refused: { message: UNREACHED } };
  }
};

/** What may be done; `undefined` if the server does not say it. */
export const offeredActions = async (): Promise<readonly ActionName[] | undefined> => {
  try {
    const answer = await fetch('data/actions', { signal: AbortSignal.timeout(ANSWER_MS) });
    return answer.ok ? ((await answer.json()) as ActionsOffered).actions : undefined;
  } catch {
    return undefined;
  }
};

export const preview = (request: PreviewRequest): Promise<Outcome<ActionPreview>> => post('preview', request);

export const perform = (request: PerformRequest): Promise<Outcome<ActionResult>> => post('perform', request);
