/** `Warning` headers of responses. Source: apiserver v1.34 `endpoints/filters/warning.go`, apimachinery `util/net`. */
import type { HttpRequest, HttpResponse } from './http.ts';

/** Adds warnings to the response of this request, even if it fails. */
export const warn = ({ warnings }: Pick<HttpRequest, 'warnings'>, texts: readonly string[]): void => {
  warnings?.push(...texts);
};

/** If all texts together have more characters than this, each is cut to `CUT_TO` characters. */
const MOST_CHARACTERS = 4_096;
const CUT_TO = 256;

// Go does not send a text with control characters.
const isSendable = (text: string): boolean => text !== '' && !/\p{Cc}/u.test(text);

const lengthOf = (texts: readonly string[]): number =>
  texts.reduce((sum, text) => sum + Array.from(text).length, 0);

const fitting = (texts: readonly string[]): readonly string[] => {
  if (lengthOf(texts) <= MOST_CHARACTERS) return texts;
  const cut = texts.map((text) =>
    Array.from(text.slice(0, 2 * CUT_TO))
      .slice(0, CUT_TO)
      .join(''),
  );
  let sent = 0;
  return cut.filter((text) => {
    const isSent = sent < MOST_CHARACTERS;
    sent += lengthOf([text]);
    return isSent;
  });
};

const warningValue = (text: string): string => `299 - "${text.replaceAll(/["\\]/g, '\\$&')}"`;

/** The value of the header `Warning`, its UTF-8 bytes as Latin-1 characters; `undefined` without a text to send. */
export const warningHeader = (texts: readonly string[]): string | undefined => {
  const sent = fitting([...new Set(texts)].filter(isSendable)).map(warningValue);
  return sent.length === 0 ? undefined : Buffer.from(sent.join(', ')).toString('latin1');
};

/** The response with a `Warning` header for these texts. */
export const withWarnings = (response: HttpResponse, texts: readonly string[]): HttpResponse => {
  const warning = warningHeader(texts);
  return warning === undefined ? response : { ...response, headers: { ...response.headers, warning } };
};
