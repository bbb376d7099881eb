/**
 * Field selectors: `path=value`, `path==value`, `path!=value`, joined by commas; `\` escapes. Source: apimachinery
 * v1.34 `fields`.
 */

/** One term of a field selector. */
export interface FieldRequirement {
  readonly path: string;
  readonly operator: '=' | '!=';
  readonly value: string;
}

/** A selector that cannot be parsed. The message is Kubernetes'. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

/** How many requirements a field or label selector may have. Each is checked for every object. */
export const MAX_REQUIREMENTS = 500;

const splitTerms = (selector: string): readonly string[] => {
  const terms: string[] = [];
  let [term, escaped] = ['', false];
  for (const character of selector) {
    if (character === ',' && !escaped) {
      terms.push(term);
      term = '';
    } else term += character;
    escaped = character === '\\' && !escaped;
  }
  return [...terms, term].filter((one) => one !== '');
};

const unescaped = (value: string): string => {
  let [text, escaped] = ['', false];
  for (const character of value) {
    if (escaped && !'\\,='.includes(character))
      throw new SelectorError(`invalid field selector: invalid escape sequence: \\${character}`);
    if (!escaped && character === '=')
      // Go prints the character as its code point.
      throw new SelectorError(
        `invalid field selector: unescaped character in value: ${character.codePointAt(0)}`,
      );
    if (character !== '\\' || escaped) text += character;
    escaped = character === '\\' && !escaped;
  }
  if (escaped) throw new SelectorError('invalid field selector: invalid escape sequence: \\');
  return text;
};

const parseTerm = (term: string, selector: string): FieldRequirement => {
  const match = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
  if (!match) throw new SelectorError(`invalid selector: '${selector}'; can't understand '${term}'`);
  const [, path = '', operator, value = ''] = match;
  return { path, operator: operator === '!=' ? '!=' : '=', value: unescaped(value) };
};

const checkedCount = (terms: readonly string[]): readonly string[] => {
  if (terms.length > MAX_REQUIREMENTS)
    throw new SelectorError(`a selector may have ${MAX_REQUIREMENTS} requirements`);
  return terms;
};

/** Parses a field selector. Throws `SelectorError` for a malformed one. */
export const parseFieldSelector = (selector: string): readonly FieldRequirement[] =>
  checkedCount(splitTerms(selector)).map((term) => parseTerm(term, selector));

/** The value that the selector requires at `path` with `=`; `undefined` if it requires none. */
export const demandedValue = (requirements: readonly FieldRequirement[], path: string): string | undefined =>
  requirements.find((one) => one.path === path && one.operator === '=')?.value;

/** Whether `fields` meet all requirements. `fields` must contain every path of the requirements. */
export const matchesFields = (
  requirements: readonly FieldRequirement[],
  fields: Readonly<Record<string, string>>,
): boolean =>
  requirements.every(({ path, operator, value }) => (fields[path] === value) === (operator === '='));
