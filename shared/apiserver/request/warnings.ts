/** What clients are told beside the answer. Source: apiserver v1.34 `endpoints/filters/warning.go`, apimachinery `util/net`. */
import type { HttpRequest, HttpResponse } from '../http.ts';

/** Tells the client `texts`, whatever the answer is. */
export const warn = ({ warnings }: Pick<HttpRequest, 'warnings'>, texts: readonly string[]): void => {
  warnings?.push(...texts);
};

/** Characters of all texts from which on each is cut, and to what. */
const MOST_CHARACTERS = 4_096;
const CUT_TO = 256;

// As in Go, a text with control characters is not sent.
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

/** The value of `Warning`, its UTF-8 bytes as characters; `undefined` when there is nothing to say. */
export const warningHeader = (texts: readonly string[]): string | undefined => {
  const sent = fitting([...new Set(texts)].filter(isSendable)).map(warningValue);
  return sent.length === 0 ? undefined : Buffer.from(sent.join(', ')).toString('latin1');
};

export const withWarnings = (response: HttpResponse, texts: readonly string[]): HttpResponse => {
  const warning = warningHeader(texts);
  return warning === undefined ? response : { ...response, headers: { ...response.headers, warning } };
};
