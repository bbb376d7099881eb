/** A change for users that waits for its release: one file of the folder `.changes`, as its README.md describes. */
import { parse } from 'yaml';

/** The kinds of changes, in the order of their headings in the CHANGELOG. */
export const KINDS = ['added', 'changed', 'removed', 'fixed', 'security'] as const;

/** What a change is for users. */
export type Kind = (typeof KINDS)[number];

/** A change as its file says it. */
export interface Change {
  readonly kind: Kind;
  /** Markdown in one line, with a full stop at the end. */
  readonly sentence: string;
}

const FORM = /^---\n(?<head>.*?)\n---\n(?<body>.*)$/s;
const NAME = /^[a-z0-9]+(-[a-z0-9]+)*\.md$/;

const isKind = (kind: unknown): kind is Kind => KINDS.some((known) => known === kind);

const kindIn = (head: string): Kind => {
  const fields: unknown = parse(head);
  const entries = Object.entries(fields ?? {});
  const [name, kind] = entries[0] ?? [];
  if (entries.length !== 1 || name !== 'kind' || !isKind(kind))
    throw new Error(`between the lines --- stands only "kind: " and one of ${KINDS.join(', ')}`);
  return kind;
};

const sentenceIn = (body: string): string => {
  const text = body.trim();
  if (text === '' || /\n\s*\n/.test(text)) throw new Error('below the second line --- stands one paragraph');
  const sentence = text.replaceAll(/\s*\n\s*/g, ' ');
  if (/^([-*+>]|#+|\d+\.) /.test(sentence) || sentence.startsWith('```'))
    throw new Error('the sentence begins with a word, not with a mark of a list, a heading or a block');
  if (!/\.\)?$/.test(sentence)) throw new Error('the sentence ends with a full stop');
  return sentence;
};

/** Reads the file `name` (without its folder) with the content `text`. Throws an Error whose message says what is wrong. */
export const parseChange = (name: string, text: string): Change => {
  if (!NAME.test(name)) throw new Error('its name is lower-case words with hyphens, and .md at the end');
  const { head = '', body } = FORM.exec(text.replaceAll('\r\n', '\n'))?.groups ?? {};
  if (body === undefined) throw new Error('it begins with a line ---, and a second line --- ends its head');
  return { kind: kindIn(head), sentence: sentenceIn(body) };
};
