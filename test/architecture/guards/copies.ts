/** Guards of what the project has written several times. */
import type { Expression, ObjectExpression } from 'oxc-parser';
import type { Guard } from './guard.ts';
import { PRODUCTION } from './source.ts';
import { placesInFiles, type Spelling } from './syntax.ts';

const isTwo = (node: { readonly type: string }): boolean =>
  node.type === 'Literal' && 'value' in node && node.value === 2;

const isVariable = ({ type }: { readonly type: string }): boolean =>
  type === 'Identifier' || type === 'MemberExpression';

const isDoubled = (node: { readonly type: string }): boolean => {
  const { type, operator, left, right } = node as Extract<Expression, { type: 'BinaryExpression' }>;
  if (type !== 'BinaryExpression' || operator !== '*') return false;
  return (isTwo(left) && isVariable(right)) || (isVariable(left) && isTwo(right));
};

/** Names of the number of tries in an exponent. */
const TRIES = /attempt|tries|fail|times/i;

/** An exponential back-off: a power of two by the number of tries, or the least of a bound and a doubled delay. */
export const backOffs: Spelling = (text, found) => ({
  BinaryExpression: (node) => {
    const { operator, left, right } = node;
    if (operator === '**' && isTwo(left) && TRIES.test(text.slice(right.start, right.end))) found(node);
  },
  CallExpression: (node) => {
    const isLeast = text.slice(node.callee.start, node.callee.end) === 'Math.min';
    if (isLeast && node.arguments.some(isDoubled)) found(node);
  },
});

const memberNames = ({ properties }: ObjectExpression, isWanted: (value: Expression) => boolean) =>
  properties.flatMap((one) =>
    one.type === 'Property' && one.key.type === 'Identifier' && isWanted(one.value) ? [one.key.name] : [],
  );

/** A value of `parseArgs`' options, such as `{ type: 'string' }`. */
const isOption = (value: Expression): boolean =>
  value.type === 'ObjectExpression' && memberNames(value, () => true).includes('type');

/** A command's own declaration of the options that choose a cluster: at least the host's folder, the stack and the server. */
export const clusterOptions: Spelling = (_text, found) => ({
  ObjectExpression: (node) => {
    const names = memberNames(node, isOption);
    if (['folder', 'stack', 'server'].every((name) => names.includes(name))) found(node);
  },
});

export const COPY_GUARDS: readonly Guard[] = [
  { name: 'back-offs by hand', find: () => placesInFiles(PRODUCTION, /\b2 \*|\* 2\b/, backOffs) },
  {
    name: 'declarations of the cluster options',
    find: () => placesInFiles(PRODUCTION, /\bstack: \{/, clusterOptions),
  },
];
