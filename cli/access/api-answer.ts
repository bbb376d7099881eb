/** Reads the API's answer, also if it is not JSON. */
import { parsedBody } from '../../shared/client/api-client.ts';

/** Most characters that are kept of an answer that is not JSON. */
const KEPT = 200;

/** The parsed body. A text that is not JSON becomes the `message`. */
export const readAnswer = async <T>(response: Response): Promise<T & { readonly message?: string }> => {
  const text = await response.text();
  const body = parsedBody(text);
  const isMessage = typeof body !== 'object' || body === null;
  return (isMessage ? { message: text.slice(0, KEPT) } : body) as T & { readonly message?: string };
};
