/** The grammar of `labelSelector`. Source: apimachinery v1.34 `labels/selector.go`. */
import { ownMember } from '../json/own-member.ts';
import { quote } from '../text/go-quote.ts';
import { labelValueFaults, qualifiedNameFaults } from '../values/names.ts';
import { MAX_REQUIREMENTS, SelectorError } from './field-selector.ts';

/** One term of a label selector. `exists` and `!` have no values. */
export interface LabelRequirement {
  readonly key: string;
  readonly operator: 'exists' | '!' | 'in' | 'notin' | 'gt' | 'lt';
  readonly values: ReadonlySet<string>;
}

/** A token. A `word` is a key, a value, `in` or `notin`; a symbol is a kind by itself. */
interface Token {
  readonly kind: 'word' | '!' | ',' | '(' | ')' | 'operator' | 'end';
  readonly text: string;
}

interface Cursor {
  readonly tokens: readonly Token[];
  at: number;
}

const END: Token = { kind: 'end', text: '' };

const PATTERN = /\s*(?:(==|!=|=|>|<)|([!,()])|([^\s=!,()<>]+))/y;

const look = (cursor: Cursor): Token => cursor.tokens[cursor.at] ?? END;
const take = (cursor: Cursor): Token => {
  const token = look(cursor);
  cursor.at += 1;
  return token;
};

const unexpected = ({ text }: Token, expected: string): SelectorError =>
  new SelectorError(`found '${text}', expected: ${expected}`);
const badRequirement = (error: SelectorError): SelectorError =>
  new SelectorError(`unable to parse requirement: ${error.message}`);

// An omitted value means the empty string: `in (a,)` and `in ()` are legal.
const takeSetValue = (cursor: Cursor): string => (look(cursor).kind === 'word' ? take(cursor).text : '');

const takeSet = (cursor: Cursor): readonly string[] => {
  const open = take(cursor);
  if (open.kind !== '(') throw badRequirement(unexpected(open, "'('"));
  const values = [takeSetValue(cursor)];
  for (let token = take(cursor); token.kind !== ')'; token = take(cursor)) {
    if (token.kind !== ',') throw badRequirement(unexpected(token, "',' or ')'"));
    values.push(takeSetValue(cursor));
  }
  return values;
};

const takeExact = (cursor: Cursor): readonly string[] => {
  if (look(cursor).kind === ',' || look(cursor).kind === 'end') return [''];
  const token = take(cursor);
  if (token.kind !== 'word') throw badRequirement(unexpected(token, 'identifier'));
  return [token.text];
};

const OPERATORS: Readonly<Record<string, LabelRequirement['operator']>> = {
  in: 'in',
  notin: 'notin',
  '=': 'in',
  '==': 'in',
  '!=': 'notin',
  '>': 'gt',
  '<': 'lt',
};

const checkKey = (key: string): void => {
  const faults = qualifiedNameFaults(key);
  if (faults.length > 0)
    throw new SelectorError(
      `unable to parse requirement: <nil>: Invalid value: ${quote(key)}: ${faults.join('; ')}`,
    );
};

const checkValues = (
  key: string,
  operator: LabelRequirement['operator'],
  values: readonly string[],
): void => {
  const isNumeric = operator === 'gt' || operator === 'lt';
  values.forEach((value, index) => {
    if (isNumeric && !/^-?\d+$/.test(value))
      throw new SelectorError(
        `unable to parse requirement: values[${index}]: Invalid value: ${quote(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
      );
    const faults = labelValueFaults(value);
    if (faults.length > 0)
      throw new SelectorError(
        `unable to parse requirement: values[${index}][${key}]: Invalid value: ${quote(value)}: ${faults.join('; ')}`,
      );
  });
};

const NO_VALUES: ReadonlySet<string> = new Set();

const takeRequirement = (cursor: Cursor): LabelRequirement => {
  const isAbsent = look(cursor).kind === '!';
  if (isAbsent) cursor.at += 1;
  const name = take(cursor);
  if (name.kind !== 'word') throw badRequirement(unexpected(name, 'identifier'));
  checkKey(name.text);
  if (isAbsent) return { key: name.text, operator: '!', values: NO_VALUES };
  if (look(cursor).kind === ',' || look(cursor).kind === 'end')
    return { key: name.text, operator: 'exists', values: NO_VALUES };
  const symbol = take(cursor);
  const operator = ownMember(OPERATORS, symbol.text);
  if (!operator) throw badRequirement(unexpected(symbol, 'in, notin, =, ==, !=, gt, lt'));
  const isSet = symbol.text === 'in' || symbol.text === 'notin';
  const values = isSet ? takeSet(cursor) : takeExact(cursor);
  checkValues(name.text, operator, values);
  return { key: name.text, operator, values: new Set(values) };
};

/** Splits a label selector into tokens and drops whitespace. */
const tokensOf = (selector: string): readonly Token[] => {
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

/** Parses a label selector. An empty one selects everything. Throws `SelectorError` for a malformed one. */
export const parseLabelSelector = (selector: string): readonly LabelRequirement[] => {
  const cursor: Cursor = { tokens: tokensOf(selector), at: 0 };
  const requirements: LabelRequirement[] = [];
  while (look(cursor).kind !== 'end') {
    const first = look(cursor);
    if (first.kind !== 'word' && first.kind !== '!')
      throw unexpected(first, "!, identifier, or 'end of string'");
    requirements.push(takeRequirement(cursor));
    if (requirements.length > MAX_REQUIREMENTS)
      throw new SelectorError(`a selector may have ${MAX_REQUIREMENTS} requirements`);
    const next = take(cursor);
    if (next.kind === 'end') break;
    if (next.kind !== ',') throw unexpected(next, "',' or 'end of string'");
    const after = look(cursor);
    if (after.kind !== 'word' && after.kind !== '!') throw unexpected(after, "identifier after ','");
  }
  return requirements;
};

const holds = (
  { key, operator, values }: LabelRequirement,
  labels: Readonly<Record<string, string>>,
): boolean => {
  const value = ownMember(labels, key);
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case 'in':
      return value !== undefined && values.has(value);
    case 'notin':
      return value === undefined || !values.has(value);
    case 'gt':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) > Number([...values][0]);
    case 'lt':
      return value !== undefined && /^-?\d+$/.test(value) && Number(value) < Number([...values][0]);
  }
};

/** Whether `labels` meet all requirements. */
export const matchesLabels = (
  requirements: readonly LabelRequirement[],
  labels: Readonly<Record<string, string>> = {},
): boolean => requirements.every((requirement) => holds(requirement, labels));
