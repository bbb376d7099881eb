/** A word is a key, a value, or one of the operators `in` and `notin`; symbols are their own kind. */
export interface Token {
  readonly kind: 'word' | '!' | ',' | '(' | ')' | 'operator' | 'end';
  readonly text: string;
}

const PATTERN = /\s*(?:(==|!=|=|>|<)|([!,()])|([^\s=!,()<>]+))/y;

/** The tokens of a label selector; whitespace separates and is dropped. */
export const tokensOf = (selector: string): readonly Token[] => {
  const tokens: Token[] = [];
  PATTERN.lastIndex = 0;
  for (let match = PATTERN.exec(selector); match; match = PATTERN.exec(selector)) {
    const [, operator, symbol, word] = match;
    if (operator) tokens.push({ kind: 'operator', text: operator });
    else if (symbol) tokens.push({ kind: symbol as '!' | ',' | '(' | ')', text: symbol });
    else tokens.push({ kind: 'word', text: word ?? '' });
  }
  return tokens;
};
