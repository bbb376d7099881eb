/** References to variables in values, commands and arguments. Source: kubernetes v1.34 third_party/forked/golang/expansion. */

/** `$$`, or a reference. A `$` before anything else stands for itself. */
const REFERENCE = /\$(?:\$|\(([^)]*)\))/g;

type Lookup = (name: string) => string | undefined;

/** Replaces each `$(NAME)` of a known variable; `$$` stands for `$`, and what is not known stays as it is. */
export const expanded = (text: string, lookup: Lookup): string => {
  // After the last parenthesis nothing is looked for, so that many open references do not take quadratic time.
  const end = text.lastIndexOf(')') + 1;
  const closed = text
    .slice(0, end)
    .replaceAll(REFERENCE, (whole, name: string | undefined) =>
      name === undefined ? '$' : (lookup(name) ?? whole),
    );
  return closed + text.slice(end).replaceAll('$$', () => '$');
};
