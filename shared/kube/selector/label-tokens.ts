/** A token. A `word` is a key, a value, `in` or `notin`; a symbol is a kind by itself. */
export interface Token {
  readonly kind: 'word' | '!' | ',' | '(' | ')' | 'operator' | 'end';
  readonly text: string;
}

const PATTERN = /\s*(?:(==|!=|=|>|<)|([!,()])|([^\s=!,()<>]+))/y;

/** Splits a label selector into tokens and drops whitespace. */
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
