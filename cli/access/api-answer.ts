/** Reads the API's answer, also if it is not JSON. */
import { parsedBody } from '../../shared/client/api-client.ts';
import { COMMAND } from '../../shared/kube/json/answer-bounds.ts';
import { readBoundedText } from '../../shared/kube/json/bounded-answer.ts';

/** Most characters that are kept of an answer that is not JSON. */
const KEPT = 200;

/** The whole body. Rejects with `AnswerTooLarge` if it exceeds `COMMAND`. */
export const readText = ({ body }: Response): Promise<string> => readBoundedText(body, COMMAND);

/** The parsed body. A text that is not JSON becomes the `message`. */
export const readAnswer = async <T>(response: Response): Promise<T & { readonly message?: string }> => {
  const text = await readText(response);
  const body = parsedBody(text);
  const isMessage = typeof body !== 'object' || body === null;
  return (isMessage ? { message: text.slice(0, KEPT) } : body) as T & { readonly message?: string };
};
