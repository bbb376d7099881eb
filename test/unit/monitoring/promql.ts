/** Finds the metrics and labels that a PromQL expression names. It knows as much of the language as our queries use. */

export interface Selector {
  readonly metric: string;
  readonly labels: readonly string[];
}

const KEYWORDS = new Set(['and', 'by', 'group_left', 'ignoring', 'offset', 'on', 'or', 'unless', 'without']);
const NAME = /[a-zA-Z_:][\w:]*/g;

const matchersIn = (braces: string): readonly string[] =>
  [...braces.matchAll(/(\w+)\s*(?:=~|!~|!=|=)\s*"/g)].map(([, label = '']) => label);

/** `sum by (zone) (...)`: the labels of groupings, which are those of results. */
export const groupingsOf = (expr: string): readonly string[] =>
  [...expr.matchAll(/\b(?:by|on|without|ignoring)\s*\(([^)]*)\)/g)].flatMap(([, labels = '']) =>
    labels
      .split(',')
      .map((label) => label.trim())
      .filter((label) => label !== ''),
  );

/** What is left of an expression without groupings, durations and the texts of matchers. */
const bare = (expr: string): string =>
  expr.replaceAll(/\b(?:by|on|without|ignoring)\s*\([^)]*\)/g, ' ').replaceAll(/\[[^\]]*\]/g, ' ');

/** Each selector of an expression, in its order. */
export const selectorsOf = (expr: string): readonly Selector[] => {
  const text = bare(expr);
  const found: Selector[] = [];
  let inBraces = 0;
  for (const match of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}]|\d[\w.]*|[a-zA-Z_:][\w:]*/g)) {
    const [token] = match;
    if (token === '{') inBraces += 1;
    else if (token === '}') inBraces -= 1;
    if (inBraces > 0 || !token.match(NAME) || /^["\d]/.test(token) || KEYWORDS.has(token)) continue;
    const rest = text.slice(match.index + token.length);
    if (/^\s*\(/.test(rest)) continue;
    const [, braces = ''] = /^\s*\{([^}]*)\}/.exec(rest) ?? [];
    found.push({ metric: token, labels: matchersIn(braces) });
  }
  return found;
};
