/** Guards of the ways in which members of objects and elements of arrays are written. */
import type {
  Argument,
  ArrayExpressionElement,
  Expression,
  ObjectProperty,
  ObjectPropertyKind,
} from 'oxc-parser';
import type { Guard } from './guard.ts';
import { PRODUCTION } from './source.ts';
import { type Place, placesInFiles, type Spelling } from './syntax.ts';

type Member = ArrayExpressionElement | Argument | ObjectPropertyKind;

const spreadsOf = (type: Expression['type'], members: readonly Member[]): readonly Place[] =>
  members.flatMap((member) =>
    member?.type === 'SpreadElement' && member.argument.type === type ? [member] : [],
  );

/** `...{ a, b }` among the members of an object, which packs them on one line. */
export const spreadObjects: Spelling = (_text, found) => ({
  ObjectExpression: ({ properties }) => spreadsOf('ObjectExpression', properties).forEach(found),
});

/** `...['a', 'b']` among the elements of an array or the arguments of a call, which packs them on one line. */
export const spreadArrays: Spelling = (_text, found) => ({
  ArrayExpression: ({ elements }) => spreadsOf('ArrayExpression', elements).forEach(found),
  CallExpression: ({ arguments: given }) => spreadsOf('ArrayExpression', given).forEach(found),
});

const isUndefined = (node: { readonly type: string }): boolean =>
  node.type === 'Identifier' && 'name' in node && node.name === 'undefined';

const isText = (text: string, one: Place, other: Place): boolean =>
  text.slice(one.start, one.end) === text.slice(other.start, other.end);

/**
 * True if the test holds when the value of a member of the object is present, false if it holds when the value is absent.
 * Returns undefined for tests of something else.
 */
const presenceBy = (
  test: Expression,
  members: readonly ObjectProperty[],
  text: string,
): boolean | undefined => {
  if (members.length === 0) return undefined;
  if (test.type === 'BinaryExpression' && [test.left, test.right].some(isUndefined))
    return test.operator.startsWith('!');
  if (test.type !== 'UnaryExpression' || test.operator !== '!')
    return members.some(({ value }) => isText(text, value, test)) || undefined;
  return members.some(({ value }) => isText(text, value, test.argument)) ? false : undefined;
};

const membersOf = (node: Expression): readonly ObjectProperty[] =>
  node.type === 'ObjectExpression' ? node.properties.filter((one) => one.type === 'Property') : [];

const isEmptyObject = (node: Expression): boolean =>
  node.type === 'ObjectExpression' && node.properties.length === 0;

/**
 * An object with a member, or without it if its value is absent, written by hand: `x === undefined ? {} : { x }`,
 * `x ? { x } : {}` and `x && { x }`. A member that depends on something else does not count.
 */
export const optionalMembers: Spelling = (text, found) => ({
  ConditionalExpression: (node) => {
    const { test, consequent, alternate } = node;
    const ifPresent = isEmptyObject(alternate) && presenceBy(test, membersOf(consequent), text) === true;
    const ifAbsent = isEmptyObject(consequent) && presenceBy(test, membersOf(alternate), text) === false;
    if (ifPresent || ifAbsent) found(node);
  },
  LogicalExpression: (node) => {
    const isObject = node.operator === '&&' && node.right.type === 'ObjectExpression';
    if (isObject && presenceBy(node.left, membersOf(node.right), text)) found(node);
  },
});

export const MEMBER_GUARDS: readonly Guard[] = [
  { name: 'spread objects in objects', find: () => placesInFiles(PRODUCTION, /\.\.\.\{/, spreadObjects) },
  { name: 'spread arrays in arrays', find: () => placesInFiles(PRODUCTION, /\.\.\.\[/, spreadArrays) },
  {
    name: 'optional members by hand',
    find: () => placesInFiles(PRODUCTION, /\{\}|&& \{/, optionalMembers),
  },
];
