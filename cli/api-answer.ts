/** What the API says in an answer, whatever comes. */

/** Characters that are kept of an answer that is no JSON. */
const KEPT = 200;

/** The parsed body; a text that is no JSON becomes the `message`. */
export const readAnswer = async <T>(response: Response): Promise<T & { readonly message?: string }> => {
  const text = await response.text();
  try {
    return JSON.parse(text) as T & { readonly message?: string };
  } catch {
    return { message: text.slice(0, KEPT) } as T & { readonly message: string };
  }
};
